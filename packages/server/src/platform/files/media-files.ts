/**
 * Room `files`: images, videos and audio that callers download later, and files that are sealed, in the data folder or
 * in an S3-compatible store. It knows bytes, types and times, and nothing of who made a file or what it cost. A file is written once, is
 * visible only as a whole, and never changes.
 */
import type { Readable } from 'node:stream'
import type { StoredType } from './media-name.ts'

export interface NewMediaFile {
  /** Read once, piece by piece; a failure of it leaves no file. */
  readonly source: AsyncIterable<Uint8Array>
  readonly contentType: StoredType
  /** Integer milliseconds. What wants to end a file before removes it. */
  readonly expiresAt: number
  readonly bytesMax: number
  /** Stops writing. */
  readonly signal?: AbortSignal
}

export interface MediaFileFacts {
  readonly name: string
  readonly contentType: StoredType
  readonly bytes: number
  readonly expiresAt: number
}

/** Both ends belong to the range. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The port behind which files live. */
export interface MediaFiles {
  /**
   * Stores a stream as a file; when it resolves, the file survives a crash.
   * @throws {MediaTooLargeError} when the source has more than `bytesMax`.
   * @throws whatever the source throws; then nothing is kept.
   */
  put(file: NewMediaFile): Promise<MediaFileFacts>
  /** Null where there is none of that name, or its time is over. */
  head(name: string): Promise<MediaFileFacts | null>
  /**
   * Opens a file for reading. The caller reads the stream to its end or destroys it.
   * @param range null for the whole; must lie within the file.
   * @returns null as `head`.
   */
  open(name: string, range: ByteRange | null): Promise<Readable | null>
  /** Does nothing where there is none. */
  remove(name: string): Promise<void>
  /** Removes what is over, and what writers that died have left. @returns how many files. */
  sweep(): Promise<number>
  /** @throws an error whose message says what to do, when files cannot be written, read and removed here. */
  check(): Promise<void>
  close(): Promise<void>
}
