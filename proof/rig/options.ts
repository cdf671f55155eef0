import {
  oneOf,
  type ProgramOption,
  someText,
  wholeNumber,
} from '../../packages/server/src/platform/runtime/program-options.ts'

/** What every proof takes that needs a database. */
export const storageOptions = {
  database: oneOf(['sqlite', 'postgres'], { help: 'which engine' }),
  'database-url': someText('url', {
    help: 'a PostgreSQL server with the right to create databases, instead of one that is started',
  }),
} as const

/** The seed of a run: random unless the run repeats one. Its user prints it. */
export function seedOption(help: string): ProgramOption<number> {
  const option = wholeNumber({ help, otherwise: Date.now() % 1_000_000 })
  return { ...option, otherwiseText: 'random' }
}
