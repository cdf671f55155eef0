import { FILE_BYTES_MAX, FILE_SECONDS_MAX, FILES_BYTES_MAX, FILES_MAX } from '@svc/contract'
import type { Caller } from '../access/keys/caller.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { UploadCall } from './parse-upload.ts'
import { fileIdOf, type StoredFile } from './stored-file.ts'
import type { UploadDeps } from './upload-deps.ts'

type Owner = Pick<Caller, 'accountId'>

const MIB = 1_048_576

function noRoom(): ServiceError {
  const most = `${FILES_MAX} files and ${FILES_BYTES_MAX / MIB} MiB of them`
  return new ServiceError('limit_reached', `A team can have ${most}: delete some first.`, { param: 'file' })
}

/** @throws {ServiceError} `limit_reached` where a file of any size is one too many. */
export async function requireRoom({ store }: UploadDeps, { accountId }: Owner): Promise<void> {
  const { files, bytes } = await store.measure(accountId)
  if (files >= FILES_MAX || bytes >= FILES_BYTES_MAX) throw noRoom()
}

/**
 * Keeps an uploaded file. When it resolves the file survives a crash.
 *
 * @throws {ServiceError} `limit_reached`: nothing is kept then.
 */
export async function keepUpload(
  { store, vault, clock }: UploadDeps,
  { accountId }: Owner,
  { requestId, upload }: { readonly requestId: string; readonly upload: UploadCall },
): Promise<StoredFile> {
  const createdAt = clock.now()
  const expiresAt = createdAt + (upload.seconds ?? FILE_SECONDS_MAX) * 1_000
  const kept = await vault.keep(upload.content.stream(), { expiresAt, bytesMax: FILE_BYTES_MAX })
  const { purpose, filename } = upload
  const file: StoredFile = { fileId: fileIdOf(requestId), accountId, purpose, filename, createdAt, expiresAt, ...kept }
  // What cannot be removed now ends by itself.
  const isInserted = await store.insert(file).catch(async (error: unknown) => {
    await vault.remove(file).catch(() => undefined)
    throw error
  })
  if (isInserted) return file
  await vault.remove(file).catch(() => undefined)
  throw noRoom()
}

/** @throws {ServiceError} `file_not_found`: there is none, it has expired, or it is another account's. */
export async function findFile(
  { store, clock }: Pick<UploadDeps, 'store' | 'clock'>,
  { accountId }: Owner,
  { fileId, param }: { readonly fileId: string; readonly param: string },
): Promise<StoredFile> {
  const file = await store.find(accountId, fileId, clock.now())
  if (file !== null) return file
  throw new ServiceError('file_not_found', `This team has no file ${JSON.stringify(fileId)}.`, { param })
}

/** @throws {ServiceError} `file_not_found`, `file_in_use`. */
export async function deleteFile(deps: UploadDeps, owner: Owner, fileId: string): Promise<void> {
  const file = await findFile(deps, owner, { fileId, param: 'file_id' })
  if (await deps.isInUse(fileId)) {
    const message = 'A batch that has not ended reads this file: cancel the batch first.'
    throw new ServiceError('file_in_use', message, { param: 'file_id', shouldRetry: false })
  }
  await deps.store.delete(fileId)
  await deps.vault.remove(file)
}
