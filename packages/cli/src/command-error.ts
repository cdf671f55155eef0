import { exitCodes, type ExitCode } from './exit-codes.ts'

/** A failure that the user can mend. The message says what is wrong, `advice` what to do next. */
export class CommandError extends Error {
  readonly advice: string | null
  readonly exitCode: ExitCode

  constructor(message: string, { advice = null, exitCode = exitCodes.failed, cause }: CommandErrorOptions = {}) {
    super(message, { cause })
    this.name = 'CommandError'
    this.advice = advice
    this.exitCode = exitCode
  }
}

export interface CommandErrorOptions {
  readonly advice?: string | null
  readonly exitCode?: ExitCode
  readonly cause?: unknown
}
