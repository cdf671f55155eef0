/** How a command ends, for scripts. Source: decision 0039 (the terminal client). */
export const exitCodes = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  notEnoughCredits: 3,
  notSignedIn: 4,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
