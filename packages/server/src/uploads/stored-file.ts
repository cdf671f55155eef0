/**
 * Room `uploads`: files that teams upload, and those that batches write for them. Each belongs to one account, is kept
 * sealed, and ends by itself. It knows nothing of what is in a file.
 */
import type { FilePurpose, FileReply, Printed } from '@svc/contract'

export interface StoredFile {
  /** `file-` and 32 hex digits that sort by time. */
  readonly fileId: string
  readonly accountId: string
  readonly purpose: FilePurpose
  /** As its sender calls it. */
  readonly filename: string
  /** Of its content. */
  readonly bytes: number
  /** Where its sealed bytes are. */
  readonly mediaName: string
  /** Integer milliseconds, as the next. */
  readonly createdAt: number
  readonly expiresAt: number
}

/** Makes the id of a file of the id of the request that brought it. */
export function fileIdOf(requestId: string): string {
  return `file-${requestId.replaceAll('-', '')}`
}

/** As clients read it. */
export function renderFile(file: StoredFile): Printed<FileReply> {
  return {
    id: file.fileId,
    object: 'file',
    bytes: file.bytes,
    created_at: Math.floor(file.createdAt / 1_000),
    expires_at: Math.floor(file.expiresAt / 1_000),
    filename: file.filename,
    purpose: file.purpose,
    status: 'processed',
    status_details: null,
  }
}
