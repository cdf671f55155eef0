/**
 * Loaded into a measured process before its own program: answers what it has used where the system has no `/proc`, and
 * ends it when the bench has gone.
 */
process.on('message', (question: { readonly kind?: string }) => {
  if (question.kind !== 'usage') return
  const { user, system } = process.cpuUsage()
  process.send?.({ kind: 'usage', cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss() })
})
process.on('disconnect', () => process.exit())
