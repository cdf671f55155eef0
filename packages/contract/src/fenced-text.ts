/**
 * A text file inside of a message, with its name. The fence is longer than any in the text, so that the text cannot end
 * it.
 */
export function fencedText(name: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${name}:\n${fence}\n${text.replace(/\n$/, '')}\n${fence}`
}
