/** Puts a key of the reader into the code of the page, where they ask for one. The script of the page does it. */
export function KeyBar() {
  return (
    <div className="flex flex-wrap items-center gap-2 text-[12px] text-soft" data-key-bar>
      <button
        type="button"
        data-key-ask
        className="rounded border border-line bg-control px-2.5 py-1 text-text hover:border-line-strong"
      >
        Use a key of mine
      </button>
      <span role="status" data-key-said>
        Puts a short-lived key into the code. It stays in this page.
      </span>
    </div>
  )
}
