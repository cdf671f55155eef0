/**
 * A primary and a standby that follows it without being waited for, as a cluster that may lose what it has confirmed:
 * what the primary has not shipped when it dies is not in the standby.
 */
import { appendFile, chmod, chown, cp, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Client } from 'pg'
import { eventually } from './eventually.ts'
import { type FreshDatabase, makePostgresDatabase } from './fresh-database.ts'
import { openPostgresSession } from './postgres-session.ts'
import { makeServerFolder, type PostgresServer, runServer, startPostgresServer, userFor } from './postgres-server.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'
import { createTemplateDatabase, runAsAdmin, TEMPLATE_DATABASE } from './template-database.ts'

export interface PostgresCluster {
  /** Makes a database of it, reached as clients reach it: by an address that follows the primary. */
  makeDatabase(): Promise<FreshDatabase>
  /** From now on the primary confirms what the standby never gets. */
  stopShipping(): void
  /** Resolves once the standby has all that the primary has confirmed. */
  caughtUp(): Promise<void>
  /** The primary dies, and no session outlives it; the standby takes its place. What was not shipped is lost. */
  failOver(): Promise<void>
  /**
   * The standby becomes a second primary: a client that connects anew reaches it, and sessions that are there stay with
   * the first, which goes on confirming. What a cluster does that has no watchdog, and a proxy that ends no sessions.
   */
  split(): Promise<void>
  /** Clients that connect anew reach the first again, as by a second proxy that has not noticed. */
  leadBack(): void
  /** They reach the second again. */
  leadOn(): void
  /** The first primary is gone at last, with the sessions that it still had. */
  endFirst(): Promise<void>
  close(): Promise<void>
}

/** Starts one. @throws when PostgreSQL is not installed here. */
export async function startPostgresCluster(): Promise<PostgresCluster> {
  const primary = await startPostgresServer()
  await createTemplateDatabase(primary.url)
  const shipping = await startTcpProxy(primary.url)
  const standby = await startStandby(primary, shipping)
  const address = await startTcpProxy(primary.url)
  const promote = async (): Promise<void> => {
    await runAsAdmin(standby.url, ['select pg_promote(true)'])
    address.leadTo(standby.url)
  }
  return {
    async makeDatabase() {
      const { place } = await makePostgresDatabase(primary.url, { template: TEMPLATE_DATABASE })
      // The database itself goes with its servers.
      const remove = (): Promise<void> => rm(place.dataDir, { recursive: true, force: true })
      return { place: { ...place, url: address.through(place.url ?? '') }, remove }
    },
    stopShipping: () => shipping.stall(),
    async caughtUp() {
      const [first, second] = [await openPostgresSession(primary.url), await openPostgresSession(standby.url)]
      const [row] = await first.query('select pg_current_wal_flush_lsn()::text as lsn')
      await eventually(async () => {
        const [seen] = await second.query(`select pg_last_wal_replay_lsn() >= '${String(row?.['lsn'])}' as is_there`)
        if (seen?.['is_there'] !== true) throw new Error('the standby is behind')
      })
      await Promise.all([first.close(), second.close()])
    },
    async failOver() {
      await primary.kill()
      await address.refuse()
      await promote()
      await address.heal()
    },
    split: promote,
    leadBack: () => address.leadTo(primary.url),
    leadOn: () => address.leadTo(standby.url),
    async endFirst() {
      await primary.kill()
    },
    async close() {
      await Promise.all([address.close(), shipping.close()])
      await standby.stop()
      await primary.stop()
    },
  }
}

/** Copies a server by its own backup functions, and starts the copy as a standby that is shipped to through a proxy. */
async function startStandby(primary: PostgresServer, shipping: TcpProxy): Promise<PostgresServer> {
  const { programs } = primary.place
  const folder = await makeServerFolder()
  const data = join(folder, 'data')
  const from = join(primary.place.folder, 'data')
  const session = new Client({ connectionString: primary.url })
  await session.connect()
  await session.query(`select pg_backup_start('standby', true)`)
  const isCopied = (path: string): boolean =>
    dirname(path) !== join(from, 'pg_wal') && basename(path) !== 'postmaster.pid'
  await cp(from, data, { recursive: true, filter: isCopied })
  const { rows } = await session.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
  await session.end()
  await writeFile(join(data, 'backup_label'), rows[0]?.labelfile ?? '')
  await writeFile(join(data, 'standby.signal'), '')
  const { hostname, port } = new URL(shipping.through(primary.url))
  const source = `host=${hostname} port=${port} user=postgres`
  await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
  await chmod(data, 0o700)
  const runAs = userFor(folder)
  await ownAll(data, runAs)
  return runServer({ programs, folder, runAs })
}

async function ownAll(folder: string, { uid, gid }: ReturnType<typeof userFor>): Promise<void> {
  if (uid === undefined || gid === undefined) return
  await chown(folder, uid, gid)
  for (const { parentPath, name } of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await chown(join(parentPath, name), uid, gid)
  }
}
