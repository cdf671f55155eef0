import { createHash } from 'node:crypto'
import { readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEach, describe, expect, test } from 'vitest'
import { startTestS3, type TestS3 } from '../../../testing/s3-server.ts'
import { MediaTooLargeError } from './bounded-source.ts'
import { createFolderFiles } from './folder-files.ts'
import type { MediaFiles, NewMediaFile } from './media-files.ts'
import { createS3Files, type S3Place } from './s3-files.ts'

const NOW = 1_800_000_000_000
const clock = { value: NOW, now: () => clock.value, earliest: () => clock.value }
const cleanups: (() => Promise<unknown>)[] = []

afterEach(async () => {
  clock.value = NOW
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

interface Kept {
  readonly files: MediaFiles
  /** Everything that is there, by whatever name. */
  readonly names: () => Promise<string[]>
}

async function openFolder(): Promise<Kept & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-files-'))
  cleanups.push(() => rm(folder, { recursive: true }))
  const files = await createFolderFiles({ folder, clock })
  return { files, folder, names: () => readdir(folder) }
}

function placeOf(s3: TestS3): S3Place {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = s3
  return { endpoint, bucket, region, prefix: 'svc/', usesPath: true, credentials: { accessKeyId, secretAccessKey } }
}

async function openS3(options: { readonly pageSize?: number } = {}): Promise<Kept & { readonly s3: TestS3 }> {
  const s3 = await startTestS3(options)
  const files = await createS3Files({ place: placeOf(s3), clock })
  cleanups.push(
    () => files.close(),
    () => s3.close(),
  )
  return { files, s3, names: () => Promise.resolve([...s3.objects.keys()]) }
}

async function* pieces(size: number, count: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at += 1) yield Buffer.alloc(size, at % 251)
}

function newFile(over: Partial<NewMediaFile> = {}): NewMediaFile {
  return {
    source: pieces(1_000, 10),
    contentType: 'image/png',
    expiresAt: NOW + 60_000,
    bytesMax: 100_000_000,
    ...over,
  }
}

async function textOf(stream: Readable | null): Promise<Buffer> {
  const read: Buffer[] = []
  for await (const piece of stream ?? []) read.push(piece as Buffer)
  return Buffer.concat(read)
}

describe.each([
  ['the data folder', openFolder as () => Promise<Kept>],
  ['an S3-compatible store', openS3 as () => Promise<Kept>],
])('files in %s', (_place, openFiles) => {
  test('come back as they were, whole and in parts, under a name that cannot be guessed', async () => {
    const { files } = await openFiles()
    const put = await files.put(newFile())
    expect(put).toMatchObject({ bytes: 10_000, contentType: 'image/png', expiresAt: NOW + 60_000 })
    expect(put.name).toMatch(/^1800000060-[0-9a-f]{32}\.png$/)
    expect(await files.head(put.name)).toEqual(put)
    const whole = await textOf(await files.open(put.name, null))
    expect(whole.equals(await textOf(await files.open(put.name, { start: 0, end: 9_999 })))).toBe(true)
    expect([...(await textOf(await files.open(put.name, { start: 998, end: 1_001 })))]).toEqual([0, 0, 1, 1])
    expect((await files.put(newFile())).name).not.toBe(put.name)
  })

  test('are no more once their time is over, and a sweep removes them and nothing else', async () => {
    const { files, names } = await openFiles()
    const short = await files.put(newFile())
    const long = await files.put(newFile({ expiresAt: NOW + 120_000 }))
    expect(await files.sweep()).toBe(0)
    clock.value = NOW + 60_000
    expect(await files.head(short.name)).toBeNull()
    expect(await files.open(short.name, null)).toBeNull()
    expect(await names()).toHaveLength(2)
    expect(await files.sweep()).toBe(1)
    expect(await names()).toEqual([expect.stringContaining(long.name)])
    expect(await files.head(long.name)).not.toBeNull()
  })

  test('can be removed before, twice as well', async () => {
    const { files, names } = await openFiles()
    const { name } = await files.put(newFile())
    await files.remove(name)
    await files.remove(name)
    expect(await files.head(name)).toBeNull()
    expect(await files.open(name, null)).toBeNull()
    expect(await names()).toEqual([])
  })

  test('are not there at all when they are larger than allowed', async () => {
    const { files, names } = await openFiles()
    await files.put(newFile({ bytesMax: 10_000 }))
    await expect(files.put(newFile({ bytesMax: 9_999 }))).rejects.toThrow(MediaTooLargeError)
    expect(await names()).toHaveLength(1)
  })

  test('are not there at all when their source fails, or is stopped', async () => {
    const { files, names } = await openFiles()
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield* pieces(1_048_576, 20)
      throw new Error('the upstream hung up')
    }
    await expect(files.put(newFile({ source: failing() }))).rejects.toThrow('the upstream hung up')
    const abandon = new AbortController()
    async function* leaving(): AsyncGenerator<Uint8Array> {
      yield* pieces(1_048_576, 20)
      abandon.abort()
      yield* pieces(1_048_576, 20)
    }
    await expect(files.put(newFile({ source: leaving(), signal: abandon.signal }))).rejects.toThrow(/abort/i)
    expect(await names()).toEqual([])
  })

  test('of forty megabytes are written in pieces, and every byte is right', async () => {
    const { files } = await openFiles()
    const wanted = createHash('sha256')
    for await (const piece of pieces(1_048_576, 40)) wanted.update(piece)
    const { name, bytes } = await files.put(newFile({ source: pieces(1_048_576, 40), contentType: 'video/mp4' }))
    expect(bytes).toBe(40 * 1_048_576)
    const found = createHash('sha256').update(await textOf(await files.open(name, null)))
    expect(found.digest('hex')).toBe(wanted.digest('hex'))
  })

  test('have no names but those that are made here', async () => {
    const { files } = await openFiles()
    for (const name of ['', '../svc.db', 'key-pepper', '1800000060-0.png', `1800000060-${'0'.repeat(32)}.exe`]) {
      expect(await files.head(name)).toBeNull()
      expect(await files.open(name, null)).toBeNull()
      await files.remove(name)
    }
  })

  test('pass the check of a start, which leaves nothing behind', async () => {
    const { files, names } = await openFiles()
    await files.check()
    expect(await names()).toEqual([])
  })
})

test('a file in the data folder is for its owner alone, and what a dead writer left goes after an hour', async () => {
  const { files, folder, names } = await openFolder()
  const { name } = await files.put(newFile({ expiresAt: NOW + 86_400_000 }))
  expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
  const parts = ['0', 'f'].map((digit) => `part-${digit.repeat(32)}`)
  for (const part of [...parts, 'of-somebody-else']) await writeFile(join(folder, part), 'half')
  await utimes(join(folder, parts[0] ?? ''), NOW / 1_000, NOW / 1_000)
  await utimes(join(folder, parts[1] ?? ''), NOW / 1_000, NOW / 1_000 + 60)
  clock.value = NOW + 3_600_000
  expect(await files.sweep()).toBe(1)
  expect((await names()).toSorted()).toEqual([name, 'of-somebody-else', parts[1]].toSorted())
})

test('a file in the data folder is seen only when it is whole', async () => {
  const { files, names } = await openFolder()
  const seen: string[][] = []
  async function* watched(): AsyncGenerator<Uint8Array> {
    yield* pieces(1_048_576, 3)
    seen.push(await names())
  }
  const { name } = await files.put(newFile({ source: watched() }))
  expect(seen).toEqual([[expect.stringMatching(/^part-/)]])
  expect(await names()).toEqual([name])
})

test('an upload to a store whose parts fail is taken back', async () => {
  const { files, s3 } = await openS3()
  s3.failPart = 2
  await expect(files.put(newFile({ source: pieces(1_048_576, 20) }))).rejects.toMatchObject({ name: 'InternalError' })
  expect(s3.openUploads()).toBe(0)
  expect(s3.objects.size).toBe(0)
  s3.failPart = null
  await files.put(newFile({ source: pieces(1_048_576, 20) }))
  expect([...s3.objects.values()].map(({ contentType, body }) => [contentType, body.length])).toEqual([
    ['image/png', 20 * 1_048_576],
  ])
})

test('a sweep of a store reads page after page, and no further than what lives', async () => {
  const { files, s3 } = await openS3({ pageSize: 3 })
  for (let at = 0; at < 4; at += 1) await files.put(newFile())
  for (let at = 0; at < 8; at += 1) await files.put(newFile({ expiresAt: NOW + 120_000 }))
  s3.objects.set('svc/of-somebody-else', { body: Buffer.alloc(1), contentType: 'text/plain' })
  s3.objects.set('elsewhere/1800000060-00000000000000000000000000000000.png', s3.objects.values().next().value as never)
  clock.value = NOW + 60_000
  s3.calls.length = 0
  expect(await files.sweep()).toBe(4)
  expect(s3.calls.filter((call) => call === 'GET list')).toHaveLength(2)
  expect(s3.objects.size).toBe(10)
})

test('a store that cannot be used says why at the start', async () => {
  const { s3 } = await openS3()
  const right = placeOf(s3)
  const reasonOf = async (place: S3Place): Promise<string> => {
    const files = await createS3Files({ place, clock })
    cleanups.push(() => files.close())
    return files.check().then(
      () => 'none',
      (error: unknown) => String(error),
    )
  }
  const { accessKeyId, secretAccessKey } = s3
  expect(await reasonOf({ ...right, bucket: 'missing' })).toContain('bucket missing at http://127.0.0.1')
  expect(await reasonOf({ ...right, bucket: 'missing' })).toContain('it does not exist: create it')
  expect(await reasonOf({ ...right, credentials: { accessKeyId, secretAccessKey: 'wrong' } })).toContain(
    'refuses SVC_S3_SECRET_ACCESS_KEY',
  )
  expect(await reasonOf({ ...right, credentials: { accessKeyId: 'AKWRONG', secretAccessKey } })).toContain(
    'does not know SVC_S3_ACCESS_KEY_ID',
  )
  expect(await reasonOf({ ...right, endpoint: 'http://127.0.0.1:1' })).toContain('nothing listens at SVC_S3_ENDPOINT')
  expect(await reasonOf(right)).toBe('none')
})
