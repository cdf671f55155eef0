import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NANOCREDITS_PER_CREDIT, nanocreditsOf, type Nanocredits } from '@svc/contract'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { createAccount } from './create-account.ts'
import type { AccountStore } from './account-store.ts'

/** Test credits of the demo account. Source: decision 0011 (keys). */
export const DEMO_CREDITS: Nanocredits = nanocreditsOf(10_000n * NANOCREDITS_PER_CREDIT)

/** The same everywhere, so that any number of starts makes one account with one grant. */
export const DEMO_ACCOUNT_ID = '00000000-0000-7000-8000-00000000de30'
const DEMO_GRANT_ID = '00000000-0000-7000-8000-00000000de31'
/** Holds the demo key, in the data folder. */
export const DEMO_KEY_FILE = 'demo-key'

export interface SeedDemoDeps {
  readonly store: Pick<AccountStore, 'insert' | 'listTeams'>
  readonly clock: Clock
  readonly dataDir: string
  /** Makes a key with every right. */
  readonly createKey: (request: {
    readonly accountId: string
    readonly teamId: string
    readonly name: string
  }) => Promise<{ readonly rawKey: string }>
  readonly isValidKey: (rawKey: string) => Promise<boolean>
  /** Grants credits; the same transfer id twice is one grant. */
  readonly credit: (grant: {
    readonly transferId: string
    readonly accountId: string
    readonly amount: Nanocredits
    readonly reason: string
  }) => Promise<unknown>
}

export interface SeededDemo {
  readonly rawKey: string
  /** File that holds the key, readable by its owner alone. */
  readonly keyPath: string
  /** False when an earlier start made the key. */
  readonly isNew: boolean
}

/**
 * Makes the sandbox's demo account with its test credits, and a key for it unless the one of an earlier start still
 * works.
 */
export async function seedDemo(deps: SeedDemoDeps): Promise<SeededDemo> {
  await createAccount(deps, { name: 'Demo', accountId: DEMO_ACCOUNT_ID })
  await deps.credit({
    transferId: DEMO_GRANT_ID,
    accountId: DEMO_ACCOUNT_ID,
    amount: DEMO_CREDITS,
    reason: 'Test credits of the sandbox',
  })
  const keyPath = join(deps.dataDir, DEMO_KEY_FILE)
  const known = readKey(keyPath)
  if (known !== null && (await deps.isValidKey(known))) {
    chmodSync(keyPath, 0o600)
    return { rawKey: known, keyPath, isNew: false }
  }
  const [team] = await deps.store.listTeams(DEMO_ACCOUNT_ID)
  if (team === undefined) throw new InvariantError('the demo account has no team')
  const { rawKey } = await deps.createKey({ accountId: DEMO_ACCOUNT_ID, teamId: team.teamId, name: 'demo' })
  writeKey(keyPath, rawKey)
  return { rawKey, keyPath, isNew: true }
}

function readKey(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Written beside and renamed, so that no reader sees half a key and an older file's rights do not stay. */
function writeKey(path: string, rawKey: string): void {
  const fresh = `${path}.${process.pid}`
  writeFileSync(fresh, `${rawKey}\n`, { mode: 0o600 })
  renameSync(fresh, path)
}
