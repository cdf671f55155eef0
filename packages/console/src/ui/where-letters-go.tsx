/** Where letters are that leave by no mail server; nothing where they go to their readers. */
export function WhereLettersGo({ folder }: { readonly folder: string | null }) {
  if (folder === null) return null
  return (
    <p className="text-[12px] text-soft">
      No mail server is set up: letters are files in <code className="font-mono break-all">{folder}</code>.
    </p>
  )
}
