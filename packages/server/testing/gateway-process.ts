/** Gateways as operators run them, for tests: real processes on one database, that are stopped and killed. */
import { nanocreditsOf, parseCredits } from '@svc/contract'
import { expect } from 'vitest'
import type { ConfigFile } from '../src/config/config-file.ts'
import type { CreatedKey, KeyRequest } from '../src/access/keys/create-key.ts'
import type { Ledger } from '../src/money/ledger/ledger.ts'
import type { DatabaseEngine } from '../src/platform/db/database.ts'
import type { OpenDatabase } from '../src/platform/db/open-database.ts'
import { type ChatClient, createChatClient } from './chat-client.ts'
import type { FreshDatabase } from './fresh-database.ts'
import type { Balance } from './gateway-books.ts'
import { openGatewayBooks, openGatewayRig, type ProgramEnd, upstreamEnvironment } from './gateway-rig.ts'
import type { GatewayProcess } from './start-gateway-process.ts'
import { makeTestDatabase } from './test-database.ts'
import { testFile } from './test-gateway.ts'

export interface ProcessesOptions {
  readonly engine: DatabaseEngine
  readonly upstreamUrl: string
  readonly kind?: 'openrouter' | 'openai-compatible'
  /** Credits of the account, as decimal text. */
  readonly credits: string
  readonly file?: ConfigFile
  readonly env?: Readonly<Record<string, string>>
  /** On which they run; one of this test run by default. It is removed with them. */
  readonly database?: FreshDatabase
}

/** One process, with a client that has the account's key. */
export interface TestProcess extends ChatClient, Pick<GatewayProcess, 'output' | 'signal'> {
  readonly baseUrl: string
  /** Resolves with the exit code once it is gone; null after a kill. */
  readonly exited: Promise<number | null>
}

/** A database, an account with a key, and the processes that serve it. */
export interface GatewayProcesses {
  readonly database: OpenDatabase
  /** Null for embedded storage. */
  readonly databaseUrl: string | null
  /** Of every process; for PostgreSQL it holds no database. */
  readonly dataDir: string
  readonly ledger: Ledger
  readonly accountId: string
  readonly teamId: string
  readonly key: string
  readonly keyId: string
  /**
   * Starts one more process and waits until it answers.
   *
   * @param env settings of it alone.
   * @param main the program, where it is not this tree's.
   */
  start(env?: Readonly<Record<string, string>>, main?: string): Promise<TestProcess>
  /** Runs an operator command in a process of its own and answers what it printed. @throws where it failed. */
  admin(...words: readonly string[]): Promise<string>
  /** Runs the operator commands of another program and answers how it ended. */
  adminOf(program: string, ...words: readonly string[]): Promise<ProgramEnd>
  /** Runs the sweeper in a process of its own and answers how it ended and what it printed. */
  sweep(...words: readonly string[]): Promise<ProgramEnd>
  createKey(request?: Partial<KeyRequest>): Promise<CreatedKey>
  balance(): Promise<Balance>
  /** Resolves once no hold is open. */
  settled(): Promise<void>
  /** Fails the test when any invariant of the books is broken. */
  audit(): Promise<void>
  /** Stops every process, audits, and removes everything. */
  stop(): Promise<void>
}

const PEPPER = 'a pepper that all processes of a test share'

/** Makes the database and the account. Nothing runs until `start` is called. */
export async function openGatewayProcesses(options: ProcessesOptions): Promise<GatewayProcesses> {
  const file = testFile(options.file)
  const rig = await openGatewayRig({
    database: options.database ?? (await makeTestDatabase(options.engine)),
    file,
    env: { SVC_KEY_PEPPER: PEPPER, ...upstreamEnvironment(options.upstreamUrl, options.kind), ...options.env },
  })
  const { url: databaseUrl, dataDir } = rig.place
  const books = await openGatewayBooks(rig.place, PEPPER, { file })
  const account = await books.createAccount('Test', parseCredits(options.credits) ?? nanocreditsOf(0n))
  const { accountId, teamId } = account
  const { rawKey: key, keyId } = await books.createKey(account)
  const processes: GatewayProcess[] = []
  const openHolds = async (): Promise<number> => {
    const { requests, jobs } = await books.openHolds()
    return requests + jobs
  }
  const settled = (): Promise<void> => expect.poll(openHolds, { timeout: 20_000, interval: 50 }).toBe(0)
  const audit = async (): Promise<void> => expect(await books.breaches()).toEqual([])
  return {
    ...{ databaseUrl, dataDir, accountId, teamId, key, keyId, settled, audit },
    ...{ database: books.database, ledger: books.ledger },
    createKey: (request) => books.createKey(account, request),
    async start(own = {}, main) {
      const started = await rig.startProcess({ env: own, ...(main === undefined ? {} : { program: main }) })
      processes.push(started)
      const { output, signal } = started
      const baseUrl = `${started.origin}/api`
      const exited = started.exited.then(({ code }) => code)
      return { ...createChatClient(baseUrl, key), ...{ baseUrl, output, signal, exited } }
    },
    async admin(...words) {
      const { code, output } = await rig.run('admin', words)
      if (code !== 0) throw new Error(`the command ended with ${code}: ${output}`)
      return output
    },
    adminOf: (program, ...words) => rig.run('admin', words, program),
    sweep: (...words) => rig.run('sweeper', words),
    balance: () => books.balance(accountId),
    async stop() {
      for (const started of processes) started.signal('SIGTERM')
      await Promise.all(processes.map((started) => started.exited))
      await settled()
      await audit()
      await books.close()
      await rig.close()
    },
  }
}
