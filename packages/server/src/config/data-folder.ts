/** Where a gateway keeps its files. A sandbox and a gateway with real upstreams have different folders by default. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { UpstreamConfig } from './config.ts'
import { ConfigError } from './config-error.ts'
import type { Environment } from './environment.ts'

/** Of a sandbox, whose credits are test money. */
export const TEST_FOLDER = '.svc'
/** Of a gateway with a real upstream. */
export const LIVE_FOLDER = '.svc-live'

/** Within it: the chains that the sandbox runs. */
export const CHAINS_FOLDER = 'chains'

/** Within it: the key of the ledger log, where none is named. */
export const LOG_KEY_FILE = 'ledger-log-key'

type Named = Pick<Environment, 'SVC_DATA_DIR'>

/** Tells whether nothing but the sandbox answers requests: then credits are test money. */
export function isSandboxAlone(upstreams: readonly Pick<UpstreamConfig, 'kind'>[]): boolean {
  return upstreams.every(({ kind }) => kind === 'sandbox')
}

/** The folder of a gateway: the one that is named, or the usual one of its kind of upstream. */
export function dataFolderOf(
  { SVC_DATA_DIR: named }: Named,
  upstreams: readonly Pick<UpstreamConfig, 'kind'>[],
  workingDir: string,
): string {
  return resolve(workingDir, named ?? (isSandboxAlone(upstreams) ? TEST_FOLDER : LIVE_FOLDER))
}

/**
 * The folder that a command works on. One without an upstream takes the only folder that a gateway has used.
 *
 * @param isUpstreamNamed whether the environment or the file says which upstream the gateway has.
 * @throws {ConfigError} where there are two and nothing says which.
 */
export function commandFolderOf(
  environment: Named,
  upstreams: readonly Pick<UpstreamConfig, 'kind'>[],
  place: { readonly workingDir: string; readonly isUpstreamNamed: boolean },
): string {
  const { workingDir } = place
  if (environment.SVC_DATA_DIR !== undefined || place.isUpstreamNamed) {
    return dataFolderOf(environment, upstreams, workingDir)
  }
  const used = [TEST_FOLDER, LIVE_FOLDER].filter((folder) => isUsed(resolve(workingDir, folder)))
  if (used.length < 2) return resolve(workingDir, used[0] ?? TEST_FOLDER)
  throw new ConfigError([
    `There is a sandbox in ${TEST_FOLDER} and a gateway with real upstreams in ${LIVE_FOLDER}. ` +
      `Say which one is meant, with SVC_DATA_DIR=${TEST_FOLDER} or SVC_DATA_DIR=${LIVE_FOLDER}.`,
  ])
}

function isUsed(folder: string): boolean {
  return ['svc.db', 'key-pepper'].some((name) => existsSync(join(folder, name)))
}
