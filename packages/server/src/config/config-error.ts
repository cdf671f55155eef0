/**
 * The configuration cannot be used. The message names every problem and says what to do about each; it never repeats
 * a secret.
 */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    const list = problems.map((problem) => `\n  - ${problem}`).join('')
    super(`The configuration cannot be used:${list}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}
