/** What an operator reads when a start fails for a reason that lies outside of the program. */
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { databaseAddress } from '../config/store-address.ts'
import { DataFolderInUseError } from '../platform/db/data-folder-lock.ts'
import { ReadOnlyServerError } from '../platform/db/server-greeting.ts'
import { MissingStoreError, OutdatedStoreError } from '../platform/db/require-schema.ts'
import { ChangedMigrationError, OlderGatewaysError, UnknownSchemaError } from '../platform/db/serve-schema.ts'
import { DatabaseUnavailableError } from '../platform/errors/database-unavailable-error.ts'
import { type StoreKind, WrongStoreKindError } from '../access/operators/store-kind.ts'
import { FilesUnavailableError } from '../platform/files/files-unavailable-error.ts'

type Known = Pick<Config, 'host' | 'databaseUrl'> & Partial<Pick<Config, 'admin' | 'dataDir'>>

/** What Node adds to an error of the system. */
interface Facts {
  readonly code: string
  readonly syscall: string
  readonly address: string
  readonly hostname: string
  readonly path: string
  readonly port: number | null
}

/** What is wrong with the data folder or a file in it. */
const folderReasons: Readonly<Record<string, string>> = {
  EACCES: 'this user has no right to it',
  EPERM: 'this user has no right to it',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'the disk quota of this user is used up',
  EEXIST: 'it is no folder',
  ENOTDIR: 'a part of its path is no folder',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
}
/** A folder that cannot be made, and a link that leads nowhere. A file that is missing elsewhere is a fault of ours. */
const NOWHERE_CALLS: ReadonlySet<string> = new Set(['mkdir', 'stat'])
/** Busy, read-only, I/O error, damaged, full, cannot be opened, no database. Source: SQLite, result codes. */
const SQLITE_CODES: ReadonlySet<number> = new Set([5, 8, 10, 11, 13, 14, 26])
/** Complaints of the PostgreSQL client that carry no code. */
const CLIENT_COMPLAINT = /timeout|connection terminated|SSL|SASL|SCRAM/i

const networkReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name cannot be looked up now',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to its host',
  ENETUNREACH: 'there is no way to its network',
}

/** Source: PostgreSQL, appendix A (error codes). */
const serverReasons: Readonly<Record<string, string>> = {
  '28P01': 'it refuses the user or the password',
  '28000': 'it refuses the user or the way of the connection',
  '3D000': 'it has no database of this name: create it',
  '42501': 'the user may not make or use tables there: grant it the rights',
  '53300': 'it has no connection left',
  '57P03': 'it is starting or stopping: try again shortly',
}

/**
 * Describes an expected failure in one plain text that says what to do; it repeats no password.
 *
 * @param config null when the configuration itself could not be had.
 * @returns null for an unexpected error: its stack is needed.
 */
export function describeStartFailure(thrown: unknown, config: Known | null): string | null {
  const error = thrown instanceof DatabaseUnavailableError ? thrown.cause : thrown
  if (!(error instanceof Error)) return null
  if (error instanceof ConfigError || error instanceof DataFolderInUseError) return error.message
  if (error instanceof UnknownSchemaError || error instanceof OlderGatewaysError) return error.message
  if (error instanceof MissingStoreError) return missingStoreText(config)
  if (error instanceof OutdatedStoreError) return outdatedStoreText(config)
  if (error instanceof WrongStoreKindError) return wrongStoreText(error.kind, config)
  if (error instanceof ChangedMigrationError || error instanceof FilesUnavailableError) return error.message
  const facts = factsOf(error)
  const onListening = config === null ? null : describeListening(facts, config)
  if (onListening !== null) return onListening
  const reason = config === null || config.databaseUrl === null ? null : postgresReason(error, facts)
  if (reason !== null) return postgresText(config?.databaseUrl ?? '', reason)
  if ('errcode' in error && SQLITE_CODES.has(Number(error.errcode) & 0xff)) {
    const advice = 'See whether its disk is full or read-only, and whether the file is whole.'
    return `The database in the data folder cannot be used: ${error.message}. ${advice}`
  }
  return describeFolder(facts)
}

function describeFolder({ path, code, syscall }: Facts): string | null {
  const isNowhere = code === 'ENOENT' && NOWHERE_CALLS.has(syscall)
  const reason = isNowhere ? 'its path, or a symbolic link in it, leads nowhere' : folderReasons[code]
  if (path === '' || reason === undefined) return null
  return `${path} cannot be used: ${reason} (${code}). Mend that, or choose another data folder with SVC_DATA_DIR.`
}

/** Names the store, and says how to name the right one. */
function missingStoreText(config: Known | null): string {
  const url = config?.databaseUrl ?? null
  const way =
    url === null
      ? "Give the gateway's own folder in SVC_DATA_DIR, or its database in SVC_DATABASE_URL."
      : "Give the address of the gateway's own database in SVC_DATABASE_URL."
  return `${storeText(config)} holds no store. ${way} Only the first start of a gateway ("npm start") makes a store.`
}

function outdatedStoreText(config: Known | null): string {
  return (
    `${storeText(config)} was made by an earlier version. ` +
    'Nothing was changed: the next start of the gateway brings it up to date.'
  )
}

function storeText(config: Known | null): string {
  const url = config?.databaseUrl ?? null
  return url === null ? `The data folder ${config?.dataDir ?? ''}` : `The PostgreSQL database ${databaseAddress(url)}`
}

/** Test money and live money never meet: says what holds which, and every way on. */
function wrongStoreText(kind: StoreKind, config: Known | null): string {
  const isFolder = config === null || config.databaseUrl === null
  const store = storeText(config)
  const other = isFolder ? 'another data folder (SVC_DATA_DIR)' : 'another database (SVC_DATABASE_URL)'
  if (kind === 'live') {
    return `${store} holds live credits, which a sandbox does not serve. Start the sandbox with ${other}.`
  }
  return (
    `${store} holds test credits of a sandbox, which buy nothing from a real upstream. Either start with ${other}, or ` +
    'run "npm run admin -- go-live" on this one: it ends the demo account and all keys, sessions, operators and test ' +
    'credits, and keeps accounts, teams and people.'
  )
}

function factsOf(error: Error): Facts {
  const read = (name: string): unknown => Reflect.get(error, name)
  const text = (name: string): string => {
    const value = read(name)
    return typeof value === 'string' ? value : ''
  }
  const port = read('port')
  return {
    code: text('code'),
    syscall: text('syscall'),
    address: text('address'),
    hostname: text('hostname'),
    path: text('path'),
    port: typeof port === 'number' ? port : null,
  }
}

function describeListening(facts: Facts, { host, admin }: Known): string | null {
  const isAdmin = facts.port !== null && facts.port === admin?.port
  const [hostName, portName] = isAdmin ? ['SVC_ADMIN_HOST', 'SVC_ADMIN_PORT'] : ['SVC_HOST', 'SVC_PORT']
  if (facts.syscall === 'getaddrinfo' && [host, admin?.host].includes(facts.hostname)) {
    return `The host ${facts.hostname} is not known. Give an address of this machine in ${hostName}.`
  }
  if (facts.syscall !== 'listen') return null
  switch (facts.code) {
    case 'EADDRINUSE':
      return `Port ${facts.port} is taken. Stop the other server, or choose another port with ${portName}.`
    case 'EACCES':
      return `Port ${facts.port} may not be used by this user. Choose one above 1023 with ${portName}.`
    case 'EADDRNOTAVAIL':
      return `${facts.address} is no address of this machine. Give one that is in ${hostName}.`
    default:
      return null
  }
}

function postgresReason(error: Error, { code }: Facts): string | null {
  const known = networkReasons[code] ?? serverReasons[code]
  if (known !== undefined) return `${known} (${code})`
  if (error instanceof ReadOnlyServerError) return error.message
  return CLIENT_COMPLAINT.test(error.message) ? error.message : null
}

function postgresText(databaseUrl: string, reason: string): string {
  return (
    `The PostgreSQL database ${databaseAddress(databaseUrl)} cannot be used: ${reason}. Mend that or the address in ` +
    'SVC_DATABASE_URL; without it the gateway keeps its database in the data folder.'
  )
}

/** Says what a start waits for. */
export function describeWaiting({ cause }: DatabaseUnavailableError, databaseUrl: string, waitMs: number): string {
  const reason = cause instanceof Error ? (postgresReason(cause, factsOf(cause)) ?? cause.message) : String(cause)
  return `Waiting up to ${waitMs / 1_000} s for the PostgreSQL database ${databaseAddress(databaseUrl)}: ${reason}.`
}
