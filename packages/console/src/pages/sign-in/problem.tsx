/** Why signing in failed; nothing where nothing is wrong. */
export function Problem({ text }: { readonly text: string | null }) {
  if (text === null) return null
  return (
    <p role="alert" className="rounded bg-danger-soft px-3 py-2 text-danger">
      {text}
    </p>
  )
}
