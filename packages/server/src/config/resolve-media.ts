import { createHmac } from 'node:crypto'
import type { MediaConfig, S3Config } from './config.ts'
import type { Environment } from './environment.ts'

/** A bucket may hold files of others; this prefix keeps ours apart. */
const DEFAULT_PREFIX = 'svc/'
/** The region that stores without regions accept. Source: Amazon S3; what MinIO and others document. */
const DEFAULT_REGION = 'us-east-1'

/** Names that mean nothing without a bucket. */
const S3_NAMES = [
  'SVC_S3_ENDPOINT',
  'SVC_S3_REGION',
  'SVC_S3_PREFIX',
  'SVC_S3_ADDRESSING',
  'SVC_S3_ACCESS_KEY_ID',
  'SVC_S3_SECRET_ACCESS_KEY',
] as const

/**
 * Says where files are kept and what signs their addresses. @param sessionSecret signs where there is no own secret.
 */
export function resolveMedia(environment: Environment, sessionSecret: string): MediaConfig {
  const given = (environment.SVC_MEDIA_SECRET ?? []).toSorted((left, right) => right.version - left.version)
  const [current, ...older] = given.map(({ secret }) => secret)
  const derived = createHmac('sha256', sessionSecret).update('svc media secret').digest('hex')
  return { secrets: current === undefined ? [derived] : [current, ...older], s3: resolveS3(environment) }
}

/** Settings of a bucket that contradict each other. */
export function mediaProblems(environment: Environment): readonly string[] {
  const { SVC_S3_BUCKET: bucket, SVC_S3_ACCESS_KEY_ID: id, SVC_S3_SECRET_ACCESS_KEY: secret } = environment
  const problems: string[] = []
  const lonely = S3_NAMES.find((name) => environment[name] !== undefined)
  if (bucket === undefined && lonely !== undefined) {
    problems.push(`${lonely} is set, but SVC_S3_BUCKET is not: give the bucket, or remove ${lonely}.`)
  }
  if ((id === undefined) !== (secret === undefined)) {
    problems.push('Give both SVC_S3_ACCESS_KEY_ID and SVC_S3_SECRET_ACCESS_KEY, or neither.')
  }
  return problems
}

function resolveS3(environment: Environment): S3Config | null {
  const { SVC_S3_BUCKET: bucket, SVC_S3_ENDPOINT: endpoint = null } = environment
  const { SVC_S3_ACCESS_KEY_ID: accessKeyId, SVC_S3_SECRET_ACCESS_KEY: secretAccessKey } = environment
  if (bucket === undefined) return null
  return {
    bucket,
    endpoint,
    region: environment.SVC_S3_REGION ?? DEFAULT_REGION,
    prefix: environment.SVC_S3_PREFIX ?? DEFAULT_PREFIX,
    usesPath: (environment.SVC_S3_ADDRESSING ?? (endpoint === null ? 'host' : 'path')) === 'path',
    credentials: accessKeyId === undefined || secretAccessKey === undefined ? null : { accessKeyId, secretAccessKey },
  }
}
