/**
 * Loaded into a measured process before its own program: answers what it has used where the system has no `/proc`, and
 * ends it when the bench has gone. It is JavaScript: to load one file of TypeScript costs 100 ms of CPU, which would be
 * counted as the program's.
 */
process.on('message', (/** @type {{ readonly kind?: string }} */ question) => {
  if (question.kind !== 'usage') return
  const { user, system } = process.cpuUsage()
  process.send?.({ kind: 'usage', cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss() })
})
process.on('disconnect', () => process.exit())
