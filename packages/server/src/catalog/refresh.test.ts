import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { buildCatalog, type BuiltCatalog, type CatalogSources } from './build-catalog.ts'
import { createLiveCatalog } from './catalog.ts'
import { catalogConfigFrom } from './catalog-config.ts'
import type { CatalogList } from './catalog-row.ts'
import { loadFeatured } from './featured.ts'
import { createLastGoodCopy } from './last-good-copy.ts'
import { refreshCatalog, type RefreshDeps } from './refresh.ts'
import { loadSnapshot } from './snapshot.ts'

const config = catalogConfigFrom({
  catalogPrefix: null,
  rateCardUnit: 'per_1m',
  upstreams: [{ name: 'main', kind: 'openrouter', reportsCost: true }],
  routes: new Map(),
  prices: new Map(),
  defaultPrice: null,
  isProduction: false,
})
const model = (id: string, prompt = '0.000001') => ({ id, pricing: { prompt, completion: '0.000002' } })

let dataDir = ''

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'catalog-'))
})

afterEach(() => rm(dataDir, { recursive: true }))

const copyFrom = (origin = 'https://upstream.example') => createLastGoodCopy({ dataDir, upstream: 'main', origin })

const sources: CatalogSources = {
  featured: loadFeatured('per_1m'),
  snapshot: loadSnapshot(),
  findScripted: () => null,
}
const build = (list: CatalogList | null): BuiltCatalog => buildCatalog(sources, config, list)
const open = async () => createLiveCatalog(build(await copyFrom().read()).catalog)

async function start(list: () => unknown): Promise<RefreshDeps> {
  const catalog = await open()
  return { catalog, build, fetchList: async () => list(), lastGood: copyFrom(), clock: { now: () => 5_000 } }
}

describe('a refresh', () => {
  test('replaces the catalog at once and says what changed', async () => {
    let list: unknown = { data: [model('a'), model('b'), { id: 'v:free' }] }
    const deps = await start(() => list)
    const { catalog } = deps
    expect(await refreshCatalog(deps)).toMatchObject({
      kind: 'refreshed',
      featured: 17,
      models: 2,
      added: { count: 2, first: ['openrouter/a', 'openrouter/b'] },
      removed: { count: 373 },
      skipped: { count: 1, first: [{ id: 'v:free', reason: 'variant' }] },
      isKeptForNextStart: true,
    })
    expect(catalog.updatedAt).toBe(5_000)
    list = { data: [model('b', '0.000009'), model('c')] }
    expect(await refreshCatalog(deps)).toMatchObject({
      added: { count: 1, first: ['openrouter/c'] },
      removed: { count: 1, first: ['openrouter/a'] },
      repriced: { count: 1, first: ['openrouter/b'] },
    })
    expect(catalog.find('a')).toBeNull()
    expect(catalog.counts).toEqual({ featured: 17, models: 2 })
  })

  test('names the models that cannot be sold, since nothing states their price', async () => {
    const image = { id: 'd', architecture: { output_modalities: ['image'] } }
    const deps = await start(() => ({ data: [model('a'), { id: 'b' }, { id: 'c', pricing: {} }, image] }))
    expect(await refreshCatalog(deps)).toMatchObject({
      models: 1,
      unpriced: { byTokens: { count: 2, first: ['b', 'c'] }, media: { count: 1, first: ['d'] } },
    })
  })

  test('leaves a list whole that a request is reading', async () => {
    const deps = await start(() => ({ data: [model('a')] }))
    const before = deps.catalog.list()
    await refreshCatalog(deps)
    expect(before.length).toBe(390)
    expect(deps.catalog.list().length).toBe(18)
  })

  test.each([
    ['unreachable', () => Promise.reject(new Error('refused'))],
    ['not a list', () => '<html>'],
    ['not a list', () => ({ data: [model('z')], links: { next: '/more' } })],
    ['empty', () => ({ data: [] })],
    ['empty', () => ({ data: [null, { id: 'v:free' }] })],
  ])('keeps the good list when the new one is %s', async (reason, bad) => {
    let list: () => unknown = () => ({ data: [model('a')] })
    const deps = await start(() => list())
    await refreshCatalog(deps)
    list = bad
    expect(await refreshCatalog(deps)).toMatchObject({ kind: 'kept', reason })
    expect(deps.catalog.find('a')).not.toBeNull()
    expect((await copyFrom().read())?.rows.map((row) => row.id)).toEqual(['a'])
  })

  test('serves the new list even when the disk takes no copy', async () => {
    const deps = await start(() => ({ data: [model('a')] }))
    await writeFile(join(dataDir, 'file'), '')
    const lastGood = createLastGoodCopy({ dataDir: join(dataDir, 'file'), upstream: 'main', origin: '' })
    expect(await refreshCatalog({ ...deps, lastGood })).toMatchObject({ kind: 'refreshed', isKeptForNextStart: false })
    expect(deps.catalog.find('a')).not.toBeNull()
  })
})

describe('the last good copy', () => {
  test('is what the next start begins with, with its time', async () => {
    await refreshCatalog(await start(() => ({ data: [model('a')] })))
    const catalog = await open()
    expect(catalog.counts.models).toBe(1)
    expect(catalog.updatedAt).toBe(5_000)
    expect(catalog.find('a')?.price?.list?.source).toBe('live')
  })

  test('is one whole file and leaves nothing else behind', async () => {
    await refreshCatalog(await start(() => ({ data: [model('a')] })))
    expect(await readdir(dataDir)).toEqual(['catalog-main.json'])
  })

  test('is not used for another upstream address, nor when it is damaged', async () => {
    await refreshCatalog(await start(() => ({ data: [model('a')] })))
    expect(await copyFrom('https://other.example').read()).toBeNull()
    await writeFile(join(dataDir, 'catalog-main.json'), '{"format":1,')
    expect(await copyFrom().read()).toBeNull()
    expect((await open()).counts.models).toBe(373)
  })
})
