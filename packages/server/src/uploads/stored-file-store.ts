import { FILES_BYTES_MAX, FILES_MAX, type FilePurpose } from '@svc/contract'
import { type CompiledQuery, sql } from 'kysely'
import { lockAccount } from '../access/accounts/lock-account.ts'
import type { Database } from '../platform/db/database.ts'
import type { StoredFileTable } from '../platform/db/work-schema.ts'
import type { StoredFile } from './stored-file.ts'

/** One page of files. */
export interface FilePage {
  /** Null for every purpose. */
  readonly purpose: FilePurpose | null
  /** Id of the file before the page's first; null for the first page. */
  readonly after: string | null
  readonly limit: number
  readonly order: 'asc' | 'desc'
  /** What has expired by then is not listed. */
  readonly now: number
}

export interface StoredFileStore {
  /**
   * Writes a file down, unless its account has too many or too much by then. Of several at the same moment each counts
   * those before it.
   *
   * @returns false where there is no room.
   */
  insert(file: StoredFile): Promise<boolean>
  /** The statement that writes a file down, whatever room there is: for a write of more than that. */
  insertion(file: StoredFile): CompiledQuery
  /** Null when there is none, its time is over, or it is another account's. */
  find(accountId: string, fileId: string, now: number): Promise<StoredFile | null>
  list(accountId: string, page: FilePage): Promise<readonly StoredFile[]>
  /** What an account has. */
  measure(accountId: string): Promise<{ readonly files: number; readonly bytes: number }>
  /** @returns false when it was deleted before. */
  delete(fileId: string): Promise<boolean>
  /** Files whose time was over by then. */
  listExpired(now: number, limit: number): Promise<readonly StoredFile[]>
  /** Forgets files. */
  forget(fileIds: readonly string[]): Promise<void>
}

/** Makes the store. */
export function createStoredFileStore({ read, write }: Pick<Database, 'read' | 'write'>): StoredFileStore {
  const insertion = (file: StoredFile) => read.insertInto('stored_file').values(rowOf(file)).compile()
  const files = (accountId: string) => read.selectFrom('stored_file').where('account_id', '=', accountId)
  const sums = (accountId: string) =>
    files(accountId).select(({ fn }) => [
      fn.countAll<number>().as('files'),
      sql<number>`cast(coalesce(sum(bytes), 0) as bigint)`.as('bytes'),
    ])
  return {
    insertion,
    async insert(file) {
      const undo = read.deleteFrom('stored_file').where('file_id', '=', file.fileId).where(hasTooMuch(file.accountId))
      const [, , undone] = await write([lockAccount({ read }, file.accountId), insertion(file), undo.compile()])
      return undone === 0
    },
    async find(accountId, fileId, now) {
      const row = await files(accountId)
        .selectAll()
        .where('file_id', '=', fileId)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row === undefined ? null : fileFrom(row)
    },
    async list(accountId, { purpose, after, limit, order, now }) {
      let query = files(accountId).selectAll().where('expires_at', '>', now).orderBy('file_id', order).limit(limit)
      if (purpose !== null) query = query.where('purpose', '=', purpose)
      if (after !== null) query = query.where('file_id', order === 'desc' ? '<' : '>', after)
      return (await query.execute()).map(fileFrom)
    },
    measure: (accountId) => sums(accountId).executeTakeFirstOrThrow(),
    async delete(fileId) {
      const [deleted] = await write([read.deleteFrom('stored_file').where('file_id', '=', fileId).compile()])
      return deleted === 1
    },
    async listExpired(now, limit) {
      const query = read.selectFrom('stored_file').selectAll().where('expires_at', '<=', now)
      return (await query.orderBy('expires_at').limit(limit).execute()).map(fileFrom)
    },
    async forget(fileIds) {
      if (fileIds.length === 0) return
      await write([read.deleteFrom('stored_file').where('file_id', 'in', fileIds).compile()])
    },
  }
}

function hasTooMuch(accountId: string) {
  return sql<boolean>`exists (
    select 1 from (select count(*) as files, sum(bytes) as size from stored_file where account_id = ${accountId}) sums
     where sums.files > ${FILES_MAX} or sums.size > ${FILES_BYTES_MAX})`
}

function rowOf(file: StoredFile): StoredFileTable {
  return {
    file_id: file.fileId,
    account_id: file.accountId,
    purpose: file.purpose,
    filename: file.filename,
    bytes: file.bytes,
    media_name: file.mediaName,
    created_at: file.createdAt,
    expires_at: file.expiresAt,
  }
}

function fileFrom(row: StoredFileTable): StoredFile {
  return {
    fileId: row.file_id,
    accountId: row.account_id,
    purpose: row.purpose,
    filename: row.filename,
    bytes: row.bytes,
    mediaName: row.media_name,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}
