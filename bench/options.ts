import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** Numbers of the rows that run. */
  readonly rows: readonly number[]
  readonly pairs: number
  readonly seconds: number
  /** The same where a figure has no goal: those need less care, and the whole has to fit into its time. */
  readonly statedSeconds: number
  /** How long each side of a row with a goal for CPU works before anything is measured. */
  readonly warmUpSeconds: number
  /** Rows that have not begun after so many minutes are not run. */
  readonly minutes: number
  /** Address of a PostgreSQL server; null starts one. */
  readonly database: string | null
  /** File for all results; null writes none. */
  readonly json: string | null
  /** Markdown file whose figures are replaced; null replaces none. */
  readonly document: string | null
  /** Folder for CPU profiles of the gateway; null takes none. */
  readonly profile: string | null
  readonly scale: BenchScale
}

/** How large the things are that a row opens or fills. */
export interface BenchScale {
  readonly streams: number
  readonly chunks: number
  readonly openStreams: number
  readonly records: number
}

/** Source of the sizes: the goals that docs/benchmark.md lists. */
const FULL: BenchScale = { streams: 200, chunks: 50, openStreams: 5_000, records: 1_000_000 }
const QUICK: BenchScale = { streams: 50, chunks: 10, openStreams: 200, records: 20_000 }

const STATED_PART = 0.6
/**
 * The compiler is busy with a gateway's code for its first hundred thousand requests or so: less than a minute of its
 * life, and not what a request costs.
 */
const WARM_UP_SECONDS = 25

const ROW_COUNT = 13

export const USAGE = `npm run bench -- [options]
  --rows 1,4       only these rows
  --pairs N        pairs of each row; fewer than 10 give no verdict (10)
  --seconds N      length of each side of a pair (3)
  --minutes N      begin no row after so long (30)
  --quick          2 short pairs and small sizes: whether everything works, no figures
  --database URL   a PostgreSQL server with the right to create databases, instead of one that is started
  --json FILE      write all results as JSON
  --document FILE  replace the figures between the marks of a Markdown file
  --profile DIR    keep CPU profiles of the gateway, a folder per row
`

/** @throws {Error} with a message for the person who typed it. */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: 'string' },
      pairs: { type: 'string' },
      seconds: { type: 'string' },
      minutes: { type: 'string' },
      quick: { type: 'boolean', default: false },
      database: { type: 'string' },
      json: { type: 'string' },
      document: { type: 'string' },
      profile: { type: 'string' },
    },
  })
  const { quick } = values
  const seconds = parseAmount('seconds', values.seconds, quick ? 0.5 : 3)
  return {
    rows: parseRows(values.rows),
    pairs: Math.ceil(parseAmount('pairs', values.pairs, quick ? 2 : 10)),
    ...{ seconds, statedSeconds: seconds * STATED_PART, warmUpSeconds: quick ? seconds : WARM_UP_SECONDS },
    minutes: parseAmount('minutes', values.minutes, quick ? 1.5 : 30),
    database: values.database ?? null,
    json: values.json ?? null,
    document: values.document ?? null,
    profile: values.profile ?? null,
    scale: quick ? QUICK : FULL,
  }
}

function parseRows(text: string | undefined): readonly number[] {
  if (text === undefined) return Array.from({ length: ROW_COUNT }, (_, index) => index + 1)
  const rows = text.split(',').map(Number)
  const wrong = rows.find((row) => !Number.isInteger(row) || row < 1 || row > ROW_COUNT)
  if (wrong !== undefined) throw new Error(`--rows takes numbers from 1 to ${ROW_COUNT}, separated by commas`)
  return rows
}

function parseAmount(name: string, text: string | undefined, otherwise: number): number {
  const amount = text === undefined ? otherwise : Number(text)
  if (!(amount > 0 && amount <= 1_000)) throw new Error(`--${name} takes a number above 0, at most 1000`)
  return amount
}
