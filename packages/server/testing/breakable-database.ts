import { DatabaseSync } from 'node:sqlite'
import { openPostgresSession } from './postgres-session.ts'
import type { TestDatabase } from './test-database.ts'

/** A hand in the database that no constraint and no trigger holds back. */
export interface BreakableDatabase {
  /** Runs a statement on one table; what it returns puts the table's rows back. */
  breakTable(table: string, statement: string): Promise<() => Promise<void>>
  /** Runs a statement for good. */
  run(statement: string): Promise<void>
  close(): Promise<void>
}

/** Opens one beside the database's own connections. Meant for a server with all rights. */
export async function openBreakableDatabase(test: TestDatabase): Promise<BreakableDatabase> {
  const hand = test.url === null ? openFile(test.dataDir) : await openServer(test.url)
  return {
    async breakTable(table, statement) {
      await hand.run(`create table saved_${table} as select * from ${table}`)
      await hand.run(statement)
      return async () => {
        await hand.run(`delete from ${table}`)
        await hand.run(`insert into ${table} select * from saved_${table}`)
        await hand.run(`drop table saved_${table}`)
      }
    },
    run: (statement) => hand.run(statement),
    close: () => hand.close(),
  }
}

interface Hand {
  run(statement: string): Promise<void>
  close(): Promise<void>
}

function openFile(folder: string): Hand {
  const connection = new DatabaseSync(`${folder}/svc.db`, { enableForeignKeyConstraints: false, timeout: 5_000 })
  connection.exec('pragma ignore_check_constraints = on')
  for (const { name } of connection.prepare(`select name from sqlite_schema where type = 'trigger'`).all()) {
    connection.exec(`drop trigger ${String(name)}`)
  }
  return { run: async (statement) => connection.exec(statement), close: async () => connection.close() }
}

async function openServer(url: string): Promise<Hand> {
  const session = await openPostgresSession(url)
  await session.query(`set session_replication_role = replica`)
  const checks = await session.query(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement
       from pg_constraint where contype = 'c' and conrelid <> 0`,
  )
  for (const { statement } of checks) await session.query(String(statement))
  return { run: async (statement) => void (await session.query(statement)), close: () => session.close() }
}
