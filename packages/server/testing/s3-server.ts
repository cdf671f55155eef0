/**
 * A small store that speaks S3 and is strict about it: it checks every signature by its own reading of SigV4, the hash
 * of every body, and the rules of multipart uploads. Objects live in memory. No package on npm does this and runs on
 * current Node, and an image of a real store needs more than npm.
 */
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOnLoopback } from './loopback-server.ts'

export interface TestS3 {
  /** Origin; buckets are in the path. */
  readonly endpoint: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
  /** By key, in the order of keys. */
  readonly objects: Map<string, { readonly body: Buffer; readonly contentType: string }>
  /** Multipart uploads that were neither completed nor aborted. */
  readonly openUploads: () => number
  /** `METHOD operation` of each request so far. */
  readonly calls: string[]
  /** Answers the n-th part of a multipart upload with 500 every time; null for none. */
  failPart: number | null
  close(): Promise<void>
}

interface Upload {
  readonly key: string
  readonly contentType: string
  readonly parts: Map<number, Buffer>
}

interface Store {
  readonly server: TestS3
  readonly uploads: Map<string, Upload>
  readonly pageSize: number
}

class S3Error extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

const AUTHORIZATION = new RegExp(
  '^AWS4-HMAC-SHA256 Credential=([^/]+)/(\\d{8})/([^/]+)/s3/aws4_request, ?' +
    'SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$',
)
const MIN_PART_BYTES = 5 * 1_048_576
const EMPTY_HASH = createHash('sha256').digest('hex')

/** Starts one with an empty bucket. @param options.pageSize keys in one answer of a list. */
export async function startTestS3({ pageSize = 1_000 }: { readonly pageSize?: number } = {}): Promise<TestS3> {
  const http = createServer((request, response) => {
    void answer(store, request, response)
  })
  const { origin: endpoint, close } = await listenOnLoopback(http)
  const server: TestS3 = {
    ...{ endpoint, close },
    bucket: 'images',
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    region: 'eu-test-1',
    objects: new Map(),
    openUploads: () => store.uploads.size,
    calls: [],
    failPart: null,
  }
  const store: Store = { server, uploads: new Map(), pageSize }
  return server
}

async function answer(store: Store, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  try {
    const body = Buffer.concat(pieces)
    checkSignature(store.server, request, body)
    route(store, request, { body, response })
  } catch (error) {
    if (!(error instanceof S3Error)) throw error
    response.writeHead(error.status, { 'content-type': 'application/xml' })
    response.end(request.method === 'HEAD' ? undefined : `<Error><Code>${error.code}</Code></Error>`)
  }
}

/** Source: Amazon S3, "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)". */
function checkSignature(server: TestS3, request: IncomingMessage, body: Buffer): void {
  const { authorization = '', 'x-amz-date': time, 'x-amz-content-sha256': hash } = request.headers
  const parsed = AUTHORIZATION.exec(authorization)
  const [, keyId, day = '', region = '', signedHeaders = '', signature] = parsed ?? []
  if (parsed === null || typeof time !== 'string' || !time.startsWith(day)) throw new S3Error(403, 'AccessDenied')
  if (keyId !== server.accessKeyId) throw new S3Error(403, 'InvalidAccessKeyId')
  if (region !== server.region) throw new S3Error(400, 'AuthorizationHeaderMalformed')
  const real = body.length === 0 ? EMPTY_HASH : createHash('sha256').update(body).digest('hex')
  if (hash !== real) throw new S3Error(400, 'XAmzContentSHA256Mismatch')
  const names = signedHeaders.split(';')
  for (const needed of ['host', 'x-amz-date', 'x-amz-content-sha256']) {
    if (!names.includes(needed)) throw new S3Error(403, 'AccessDenied')
  }
  const url = new URL(request.url ?? '/', server.endpoint)
  const query = [...url.searchParams]
    .map(([name, value]) => [strictEncode(name), strictEncode(value)].join('='))
    .toSorted()
    .join('&')
  const path = decodeURIComponent(url.pathname).split('/').map(strictEncode).join('/')
  const headers = names.map(
    (name) =>
      `${name}:${String(request.headers[name] ?? '')
        .trim()
        .replaceAll(/ +/g, ' ')}\n`,
  )
  const canonical = [request.method, path, query, headers.join(''), signedHeaders, hash].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const digest = createHash('sha256').update(canonical).digest('hex')
  const steps = [day, region, 's3', 'aws4_request', `AWS4-HMAC-SHA256\n${time}\n${scope}\n${digest}`]
  let key: Buffer = Buffer.from(`AWS4${server.secretAccessKey}`)
  for (const step of steps) key = createHmac('sha256', key).update(step).digest()
  if (key.toString('hex') !== signature) throw new S3Error(403, 'SignatureDoesNotMatch')
}

function strictEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

interface Exchange {
  readonly body: Buffer
  readonly response: ServerResponse
}

function route(store: Store, request: IncomingMessage, { body, response }: Exchange): void {
  const { server, uploads } = store
  const { pathname, searchParams: query } = new URL(request.url ?? '/', server.endpoint)
  const [, bucket, ...rest] = decodeURIComponent(pathname).split('/')
  const key = rest.join('/')
  if (bucket !== server.bucket) throw new S3Error(404, 'NoSuchBucket')
  const upload = uploads.get(query.get('uploadId') ?? '')
  if (query.has('uploadId') && upload === undefined) throw new S3Error(404, 'NoSuchUpload')
  const sub = ['uploads', 'uploadId'].find((name) => query.has(name)) ?? (key === '' ? 'list' : 'object')
  const operation = `${request.method} ${sub}`
  server.calls.push(operation)
  const contentType = request.headers['content-type'] ?? 'binary/octet-stream'
  switch (operation) {
    case 'PUT object':
      server.objects.set(key, { body, contentType })
      return void response.writeHead(200, { etag: etagOf(body) }).end()
    case 'GET object':
    case 'HEAD object':
      return sendObject(server, key, request, response)
    case 'DELETE object':
      server.objects.delete(key)
      return void response.writeHead(204).end()
    case 'GET list':
      return sendList(store, query, response)
    case 'POST uploads':
      return startUpload(store, { key, contentType, parts: new Map() }, response)
    case 'PUT uploadId':
      return takePart(server, upload, { number: Number(query.get('partNumber')), body, response })
    case 'POST uploadId':
      return completeUpload(store, query.get('uploadId') ?? '', { body, response })
    case 'DELETE uploadId':
      uploads.delete(query.get('uploadId') ?? '')
      return void response.writeHead(204).end()
    default:
      throw new S3Error(501, 'NotImplemented')
  }
}

function sendObject(server: TestS3, key: string, request: IncomingMessage, response: ServerResponse): void {
  const found = server.objects.get(key)
  if (found === undefined) throw new S3Error(404, 'NoSuchKey')
  const { body, contentType } = found
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
  const part = first === undefined ? body : body.subarray(Number(first), Number(last) + 1)
  const range = { 'content-range': `bytes ${first}-${last}/${body.length}` }
  const headers = { 'content-type': contentType, 'content-length': part.length, etag: etagOf(body) }
  response.writeHead(first === undefined ? 200 : 206, { ...headers, ...(first === undefined ? {} : range) })
  response.end(request.method === 'HEAD' ? undefined : part)
}

function sendList({ server, pageSize }: Store, query: URLSearchParams, response: ServerResponse): void {
  const prefix = query.get('prefix') ?? ''
  const after = query.get('continuation-token') ?? ''
  const keys = [...server.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted()
  const page = keys.slice(0, pageSize)
  const next = keys.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')
  const more = `<IsTruncated>${next !== ''}</IsTruncated>${next}`
  sendXml(response, `<ListBucketResult>${more}${contents}</ListBucketResult>`)
}

function startUpload({ server, uploads }: Store, upload: Upload, response: ServerResponse): void {
  const id = `upload-${server.calls.length}`
  uploads.set(id, upload)
  const names = `<Bucket>${server.bucket}</Bucket><Key>${upload.key}</Key><UploadId>${id}</UploadId>`
  sendXml(response, `<InitiateMultipartUploadResult>${names}</InitiateMultipartUploadResult>`)
}

function takePart(
  server: TestS3,
  upload: Upload | undefined,
  { number, body, response }: Exchange & { readonly number: number },
): void {
  if (server.failPart === number) throw new S3Error(500, 'InternalError')
  if (!(number >= 1 && number <= 10_000)) throw new S3Error(400, 'InvalidArgument')
  upload?.parts.set(number, body)
  response.writeHead(200, { etag: etagOf(body) }).end()
}

function completeUpload({ server, uploads }: Store, id: string, { body, response }: Exchange): void {
  const upload = uploads.get(id)
  const named = [...body.toString('utf8').matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    etag: /<ETag>(.*?)</.exec(part)?.[1]?.replaceAll('&quot;', '"') ?? '',
  }))
  const parts = named.map(({ number, etag }) => {
    const part = upload?.parts.get(number)
    if (part === undefined || etagOf(part) !== etag) throw new S3Error(400, 'InvalidPart')
    return part
  })
  if (named.some(({ number }, at) => number <= (named[at - 1]?.number ?? 0))) throw new S3Error(400, 'InvalidPartOrder')
  if (parts.slice(0, -1).some((part) => part.length < MIN_PART_BYTES)) throw new S3Error(400, 'EntityTooSmall')
  if (upload === undefined || parts.length === 0) throw new S3Error(400, 'MalformedXML')
  server.objects.set(upload.key, { body: Buffer.concat(parts), contentType: upload.contentType })
  uploads.delete(id)
  sendXml(response, `<CompleteMultipartUploadResult><Key>${upload.key}</Key></CompleteMultipartUploadResult>`)
}

function etagOf(body: Buffer): string {
  return `"${createHash('md5').update(body).digest('hex')}"`
}

function sendXml(response: ServerResponse, xml: string): void {
  response.writeHead(200, { 'content-type': 'application/xml' })
  response.end(`<?xml version="1.0" encoding="UTF-8"?>${xml}`)
}
