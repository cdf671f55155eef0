import { ownMember } from '@svc/contract'
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { DIRECT, type FindProxy } from '../outbound/open-dispatcher.ts'
import type { BelievedClock } from '../runtime/believed-clock.ts'
import { boundedSource } from './bounded-source.ts'
import { checkFiles } from './check-files.ts'
import { FilesUnavailableError } from './files-unavailable-error.ts'
import type { ByteRange, MediaFileFacts, MediaFiles, NewMediaFile } from './media-files.ts'
import { createMediaName, parseMediaName } from './media-name.ts'

/** Where a bucket is and how it is reached. */
export interface S3Place {
  readonly bucket: string
  /** Null for Amazon's own. */
  readonly endpoint: string | null
  readonly region: string
  /** What precedes the names of files; ends in a slash, or is empty. */
  readonly prefix: string
  /** Whether the bucket is in the path and not in the host name. */
  readonly usesPath: boolean
  /** Null takes what Amazon's tools would take: environment, profile, or the role of the machine. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null
}

export interface S3FilesDeps {
  readonly place: S3Place
  readonly clock: Pick<BelievedClock, 'now' | 'earliest'>
  /** Absent: direct connections. */
  readonly findProxy?: FindProxy
}

/**
 * Size of a part and how many are in memory for one upload. A part must have 5 MiB at least and there may be 10,000.
 * Source: Amazon S3, multipart upload limits.
 */
const PART_BYTES = 8 * 1_048_576
const PARTS_AT_ONCE = 2
const CONNECT_MS = 5_000
const ANSWER_MS = 30_000
/** Files that a sweep removes at a time. Source: own choice. */
const REMOVALS_AT_ONCE = 16

type Sdk = typeof import('@aws-sdk/client-s3')

interface Bucket extends S3FilesDeps {
  readonly sdk: Sdk
  readonly client: S3Client
}

/**
 * Keeps files in a bucket, which several gateways may share. An object appears once it is whole; an upload that fails
 * is taken back.
 * @throws {FilesUnavailableError} where the optional packages are missing.
 */
export async function createS3Files({ place, clock, findProxy = DIRECT }: S3FilesDeps): Promise<MediaFiles> {
  const sdk = await loadSdk()
  const client = openClient(sdk, place, findProxy)
  const bucket: Bucket = { sdk, client, place, clock }
  const files: MediaFiles = {
    put: (file) => upload(bucket, file),
    head: (name) => headObject(bucket, name),
    open: (name, range) => openObject(bucket, name, range),
    remove: async (name) => {
      if (parseMediaName(name) !== null) await removeObject(bucket, place.prefix + name)
    },
    sweep: () => sweepBucket(bucket),
    check: async () => {
      try {
        await checkFiles(files, clock)
      } catch (error) {
        throw new FilesUnavailableError(describeFailure(place, error), { cause: error })
      }
    },
    close: () => Promise.resolve(client.destroy()),
  }
  return files
}

async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@aws-sdk/client-s3')
  } catch (error) {
    throw new FilesUnavailableError(
      'SVC_S3_BUCKET is set, but the package @aws-sdk/client-s3 is not there. ' +
        'Install with the optional packages: npm ci without --omit=optional.',
      { cause: error },
    )
  }
}

function openClient(sdk: Sdk, { endpoint, region, usesPath, credentials }: S3Place, findProxy: FindProxy): S3Client {
  const target = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`)
  return new sdk.S3Client({
    region,
    ...(endpoint === null ? {} : { endpoint }),
    // A copy: the SDK marks what it is given, and a configuration is frozen.
    ...(credentials === null ? {} : { credentials: { ...credentials } }),
    forcePathStyle: usesPath,
    // Checksums in trailers are Amazon's own; stores that imitate S3 may not know them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      ...{ connectionTimeout: CONNECT_MS, requestTimeout: ANSWER_MS, throwOnRequestTimeout: true },
      ...agentsFor(findProxy(target)),
    },
  })
}

/** The handler's own agents where the store is reached directly. */
function agentsFor(proxy: URL | null) {
  if (proxy === null) return {}
  const agent = { keepAlive: true, maxSockets: 50, proxyEnv: { HTTP_PROXY: proxy.href, HTTPS_PROXY: proxy.href } }
  // Not imported, which would load all of Node's `fetch`. Source: decision 0147.
  const { Agent: HttpAgent } = process.getBuiltinModule('node:http')
  const { Agent: HttpsAgent } = process.getBuiltinModule('node:https')
  return { httpAgent: new HttpAgent(agent), httpsAgent: new HttpsAgent(agent) }
}

async function upload(bucket: Bucket, file: NewMediaFile): Promise<MediaFileFacts> {
  const { Upload } = await import('@aws-sdk/lib-storage')
  const { client, place } = bucket
  const name = createMediaName(file)
  let bytes = 0
  const body = Readable.from(
    boundedSource(file.source, file.bytesMax, (total) => (bytes = total)),
    {
      objectMode: false,
    },
  )
  const running = new Upload({
    client,
    params: { Bucket: place.bucket, Key: place.prefix + name, Body: body, ContentType: file.contentType },
    partSize: PART_BYTES,
    queueSize: PARTS_AT_ONCE,
  })
  const abandon = (): void => void running.abort()
  file.signal?.addEventListener('abort', abandon, { once: true })
  try {
    file.signal?.throwIfAborted()
    await running.done()
  } finally {
    file.signal?.removeEventListener('abort', abandon)
    body.destroy()
  }
  return { name, contentType: file.contentType, bytes, expiresAt: parseMediaName(name)?.expiresAt ?? file.expiresAt }
}

async function headObject({ sdk, client, place, clock }: Bucket, name: string): Promise<MediaFileFacts | null> {
  const facts = parseMediaName(name)
  if (facts === null || facts.expiresAt <= clock.now()) return null
  const command = new sdk.HeadObjectCommand({ Bucket: place.bucket, Key: place.prefix + name })
  const found = await unlessMissing(client.send(command))
  return found === null ? null : { name, ...facts, bytes: found.ContentLength ?? 0 }
}

async function openObject(bucket: Bucket, name: string, range: ByteRange | null): Promise<Readable | null> {
  const { sdk, client, place, clock } = bucket
  const facts = parseMediaName(name)
  if (facts === null || facts.expiresAt <= clock.now()) return null
  const part = range === null ? {} : { Range: `bytes=${range.start}-${range.end}` }
  const command = new sdk.GetObjectCommand({ Bucket: place.bucket, Key: place.prefix + name, ...part })
  const found = await unlessMissing(client.send(command))
  return found === null ? null : asStream(found.Body)
}

/** On Node the body is always a stream; the type also names what browsers have. */
function asStream(body: unknown): Readable {
  if (body instanceof Readable) return body
  throw new TypeError('The store answered without a body.')
}

async function removeObject({ sdk, client, place }: Bucket, key: string): Promise<void> {
  await client.send(new sdk.DeleteObjectCommand({ Bucket: place.bucket, Key: key }))
}

/** Names begin with their end, and stores list them in order: nothing beyond the first that lives is looked at. */
async function sweepBucket(bucket: Bucket): Promise<number> {
  const { sdk, client, place, clock } = bucket
  const now = clock.earliest()
  let removed = 0
  let from: string | undefined
  do {
    const command = new sdk.ListObjectsV2Command({
      Bucket: place.bucket,
      Prefix: place.prefix,
      Delimiter: '/',
      ...(from === undefined ? {} : { ContinuationToken: from }),
    })
    const page = await client.send(command)
    const keys = (page.Contents ?? []).map((entry) => entry.Key ?? '')
    const over = keys.filter((key) => isOver(key.slice(place.prefix.length), now))
    for (let at = 0; at < over.length; at += REMOVALS_AT_ONCE) {
      const few = over.slice(at, at + REMOVALS_AT_ONCE)
      await Promise.all(few.map((key) => removeObject(bucket, key)))
    }
    removed += over.length
    const last = parseMediaName((keys.at(-1) ?? '').slice(place.prefix.length))
    from = last !== null && last.expiresAt > now ? undefined : page.NextContinuationToken
  } while (from !== undefined)
  return removed
}

/** Objects of other makers are left alone. */
function isOver(name: string, now: number): boolean {
  const facts = parseMediaName(name)
  return facts !== null && facts.expiresAt <= now
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (error instanceof Error && ['NotFound', 'NoSuchKey'].includes(error.name)) return null
    throw error
  }
}

const reasons: Readonly<Record<string, string>> = {
  NoSuchBucket: 'it does not exist: create it',
  InvalidAccessKeyId: 'the store does not know SVC_S3_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'the store refuses SVC_S3_SECRET_ACCESS_KEY, or SVC_S3_REGION is another than its own',
  AccessDenied: 'these credentials may not put, get, list and delete objects there',
  CredentialsProviderError: 'there are no credentials: set SVC_S3_ACCESS_KEY_ID and SVC_S3_SECRET_ACCESS_KEY',
  ECONNREFUSED: 'nothing listens at SVC_S3_ENDPOINT',
  ENOTFOUND: 'the host of SVC_S3_ENDPOINT is not known',
  EAI_AGAIN: 'the host of SVC_S3_ENDPOINT cannot be looked up now',
  TimeoutError: 'the store does not answer',
}

function describeFailure(place: S3Place, error: unknown): string {
  const name = error instanceof Error ? error.name : ''
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason =
    ownMember(reasons, name) ?? ownMember(reasons, code) ?? (error instanceof Error ? error.message : 'unknown error')
  const where = place.endpoint === null ? '' : ` at ${place.endpoint}`
  return `The bucket ${place.bucket}${where} cannot be used: ${reason}.`
}
