/** Where emails are that leave by no mail server; nothing where they go to their readers. */
export function WhereEmailsGo({ folder }: { readonly folder: string | null }) {
  if (folder === null) return null
  return (
    <p className="text-[12px] text-soft">
      No mail server is set up: emails are files in <code className="font-mono break-all">{folder}</code>.
    </p>
  )
}
