/** The package's only barrel: what is true for server, console and terminal client alike. */
export * from './credits.ts'
export * from './error-codes.ts'
