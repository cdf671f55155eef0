/** The configuration cannot be used. The message names every problem and says what to do about each; it never repeats a secret. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length === 1 ? 'a problem' : 'problems'}:\n${problems.map((text) => `  - ${text}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}
