/** Ways to take the database away from a gateway and to give it back, on either engine. */
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import type { DatabaseEngine } from '../packages/server/src/platform/db/database.ts'
import { startTcpProxy, type TcpProxy } from '../packages/server/testing/tcp-proxy.ts'

export interface DatabaseFault {
  /** For the options of a gateway: PostgreSQL is reached through a network that can break. */
  readonly leadTo: (databaseUrl: string) => Promise<string>
  /** From now on the database takes no writes: another program keeps the file locked, or nothing can be reached. */
  begin(): Promise<void>
  end(): Promise<void>
  close(): Promise<void>
}

/** @param dataDirOf where the gateway has its embedded database; asked when the fault begins. */
export function createDatabaseFault(engine: DatabaseEngine, dataDirOf: () => string): DatabaseFault {
  let proxy: TcpProxy | null = null
  let lock: DatabaseSync | null = null
  const unlock = (): void => {
    lock?.close()
    lock = null
  }
  return {
    leadTo: async (url) => {
      proxy = await startTcpProxy(url)
      return proxy.through(url)
    },
    begin: async () => {
      if (engine === 'postgres') return proxy?.refuse()
      lock = new DatabaseSync(join(dataDirOf(), 'svc.db'))
      lock.exec('begin immediate')
    },
    end: async () => {
      unlock()
      await proxy?.heal()
    },
    close: async () => {
      unlock()
      await proxy?.close()
    },
  }
}
