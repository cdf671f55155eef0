import { homedir } from 'node:os'
import { join } from 'node:path'
import {
  flag,
  numberAboveZero,
  type Program,
  type ProgramOption,
  refuseValue,
  someText,
  type ValuesOf,
  wholeNumber,
} from '../packages/server/src/platform/runtime/program-options.ts'

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
  /** Markdown files whose figures are replaced. */
  readonly documents: readonly string[]
  /** Other gateways that are measured, too; null measures none. */
  readonly peers: PeerOptions | null
  /** Folder for CPU profiles of the gateway; null takes none. */
  readonly profile: string | null
  readonly scale: BenchScale
}

/** Where other gateways come from. */
export interface PeerOptions {
  /** What is fetched from a registry comes here, and stays for the next run. */
  readonly folder: string
  /** Folders of checkouts; null where none was given. */
  readonly oneApi: string | null
  readonly llmGateway: string | null
}

/** How large the things are that a row opens or fills. */
export interface BenchScale {
  readonly streams: number
  readonly chunks: number
  readonly openStreams: number
  readonly records: number
  /** Open streams of which other gateways' memory is taken. */
  readonly peerStreams: number
}

/** Source of the sizes: the goals that docs/benchmark.md lists. */
const FULL: BenchScale = { streams: 200, chunks: 50, openStreams: 5_000, records: 1_000_000, peerStreams: 1_000 }
const QUICK: BenchScale = { streams: 50, chunks: 10, openStreams: 200, records: 20_000, peerStreams: 100 }

const STATED_PART = 0.6
/**
 * The compiler is busy with a gateway's code for its first hundred thousand requests or so: less than a minute of its
 * life, and not what a request costs.
 */
const WARM_UP_SECONDS = 25

const ROW_COUNT = 16

/** No figure needs more than this, and a slip of the keyboard is found out at once. */
const AMOUNT_MAX = 1_000

const allRows: readonly number[] = Array.from({ length: ROW_COUNT }, (_, index) => index + 1)

const rowsOption: ProgramOption<readonly number[] | null> = {
  help: 'only these rows, with commas between',
  takes: 'numbers',
  otherwise: null,
  otherwiseText: 'all; with --peers none',
  parse(text) {
    const rows = text.split(',').map(Number)
    const isRight = rows.every((row) => Number.isInteger(row) && row >= 1 && row <= ROW_COUNT)
    return isRight ? rows : refuseValue(`Give numbers from 1 to ${ROW_COUNT}, separated by commas.`)
  },
}

const options = {
  rows: rowsOption,
  pairs: {
    ...wholeNumber({
      help: 'pairs of each row; fewer than 10 give no verdict',
      otherwise: null,
      from: 1,
      to: AMOUNT_MAX,
    }),
    otherwiseText: '10',
  },
  seconds: { ...numberAboveZero({ help: 'length of each side of a pair', to: AMOUNT_MAX }), otherwiseText: '3' },
  minutes: { ...numberAboveZero({ help: 'begin no row after so long', to: AMOUNT_MAX }), otherwiseText: '30' },
  quick: flag({ help: '2 short pairs and small sizes: whether everything works, no figures' }),
  database: someText('url', {
    help: 'a PostgreSQL server with the right to create databases, instead of one that is started',
  }),
  json: someText('file', { help: 'write all results as JSON' }),
  document: someText('files', { help: 'replace the figures between the marks of Markdown files, commas between' }),
  peers: flag({ help: 'install other gateways and measure them beside this one' }),
  'peers-folder': someText('folder', { help: 'where they are installed; by default in the cache of the user' }),
  'one-api': someText('folder', { help: 'a checkout of one-api, which is built with Go' }),
  'llm-gateway': someText('folder', { help: 'a checkout of LLM Gateway that is built; it needs redis-server' }),
  profile: someText('folder', { help: 'keep CPU profiles of the gateway, a folder per row' }),
} as const

/** The command line of the bench. */
export const benchProgram: Program<typeof options> = {
  name: 'npm run bench --',
  does: 'Measures the gateway against a bare proxy and against its goals; docs/benchmark.md says how.',
  options,
}

/** What the bench does, from what was typed. */
export function benchOptionsOf(given: ValuesOf<typeof options>): BenchOptions {
  const { quick, database, json, document, profile } = given
  const seconds = given.seconds ?? (quick ? 0.5 : 3)
  return {
    ...{ database, json, profile, seconds, peers: given.peers ? peersOf(given) : null },
    rows: given.rows ?? (given.peers ? [] : allRows),
    documents: document === null ? [] : document.split(','),
    pairs: given.pairs ?? (quick ? 2 : 10),
    statedSeconds: seconds * STATED_PART,
    warmUpSeconds: quick ? seconds : WARM_UP_SECONDS,
    minutes: given.minutes ?? (quick ? 1.5 : 30),
    scale: quick ? QUICK : FULL,
  }
}

function peersOf(given: ValuesOf<typeof options>): PeerOptions {
  return {
    folder: given['peers-folder'] ?? join(homedir(), '.cache', 'svc-bench-peers'),
    ...{ oneApi: given['one-api'], llmGateway: given['llm-gateway'] },
  }
}
