/**
 * Model lists of a hostile upstream, through the adapter and the catalog that the gateway uses: no list may end it,
 * sell anything for nothing, or leave anything but a whole catalog. The last good one stays wherever a new one is none.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endpoints } from '@svc/contract'
import { buildCatalog } from '../../../packages/server/src/catalog/build-catalog.ts'
import { catalogConfigFrom } from '../../../packages/server/src/catalog/catalog-config.ts'
import { createLiveCatalog, type Catalog, type LiveCatalog } from '../../../packages/server/src/catalog/catalog.ts'
import type { CatalogList } from '../../../packages/server/src/catalog/catalog-row.ts'
import { loadFeatured } from '../../../packages/server/src/catalog/featured.ts'
import { createLastGoodCopy, type LastGoodCopy } from '../../../packages/server/src/catalog/last-good-copy.ts'
import { type Model, pricesOf } from '../../../packages/server/src/catalog/model.ts'
import { refreshCatalog, type RefreshResult } from '../../../packages/server/src/catalog/refresh.ts'
import { renderModel } from '../../../packages/server/src/catalog/render-model.ts'
import { loadSnapshot } from '../../../packages/server/src/catalog/snapshot.ts'
import type { TokenPrices } from '../../../packages/server/src/pricing/price.ts'
import { DIRECT } from '../../../packages/server/src/platform/outbound/open-dispatcher.ts'
import { openOpenRouter } from '../../../packages/server/src/upstreams/openrouter/open-openrouter.ts'
import type { Upstream } from '../../../packages/server/src/upstreams/upstream.ts'
import { createRandom, type Random } from '../../../packages/server/testing/random.ts'
import { listenOnLoopback } from '../../../packages/server/testing/loopback-server.ts'
import { createDraw, type Draw } from '../draw.ts'
import { hostileList } from './hostile-lists.ts'

export interface ListFuzzReport {
  readonly lists: number
  /** Lists that became the catalog. */
  readonly taken: number
  readonly slowestMs: number
  readonly faults: readonly string[]
}

const PATIENCE_MS = 300
/** A refresh happens beside the requests: longer than this it would be felt, in milliseconds. */
const SLOW_MS = 10_000
const GIANT_BYTES = 100 * 1024 * 1024
const GIANT_PIECE = Buffer.alloc(1024 * 1024, '[{"id":"a"},')
const STORY_LENGTH = 400

async function writeGiant(response: ServerResponse): Promise<void> {
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  for (let sent = 0; sent < GIANT_BYTES && !response.destroyed; sent += GIANT_PIECE.length) {
    if (response.write(GIANT_PIECE)) continue
    await once(response, 'drain', { signal: closed.signal }).catch(() => undefined)
  }
  response.end()
}

/** Serves the list of the moment at every address, in ways that upstreams have. */
function serve({ random, draw }: { random: Random; draw: Draw }, list: () => string) {
  return createServer((request, response) => {
    response.on('error', () => undefined)
    const isMain = request.url === '/v1/models'
    const die = random.below(isMain ? 100 : 200)
    if (die === 0) return void response.destroy()
    if (die === 1) return void writeGiant(response)
    if (die === 2) return undefined
    if (die < 10) return void response.writeHead(random.pick([301, 401, 404, 429, 500, 204])).end('{"error":1}')
    response.writeHead(200, { 'content-type': random.pick(['application/json', 'text/html', 'x']) })
    response.end(isMain ? list() : draw(hostileList))
    return undefined
  })
}

function openParts(dataDir: string) {
  const sources = { featured: loadFeatured('per_1m'), snapshot: loadSnapshot(), findScripted: () => null }
  // Costs are not reported here: what a list says is what is charged.
  const settings = catalogConfigFrom({
    ...{ catalogPrefix: null, rateCardUnit: 'per_1m', routes: new Map(), prices: new Map(), defaultPrice: null },
    upstreams: [{ name: 'main', kind: 'openrouter', reportsCost: false }],
    isProduction: true,
  })
  const build = (list: CatalogList | null) => buildCatalog(sources, settings, list)
  const lastGood = createLastGoodCopy({ dataDir, upstream: 'main', origin: 'http://main.example' })
  return { build, lastGood, catalog: createLiveCatalog(build(null).catalog) }
}

function isFree({ input, output }: Pick<TokenPrices, 'input' | 'output'>): boolean {
  return input === 0n && output === 0n
}

/** @returns what is wrong with a model that is offered, or null. */
function checkModel(model: Model): string | null {
  for (const { list } of pricesOf(model)) {
    const rates = list === null ? [] : [list.prices, ...list.prices.tiers]
    if (list?.prices.request === null && rates.some(isFree)) return 'is sold for nothing'
  }
  const { media } = model
  if (media?.prices.type === 'image' && media.prices.perImage === 0n) return 'makes images for nothing'
  if (media?.prices.type === 'video' && media.prices.perSecond === 0n) return 'makes videos for nothing'
  if (!/^[\x21-\x7e]{1,240}$/.test(model.id)) return 'has an id that is none'
  if (!`${model.name}${model.description ?? ''}`.isWellFormed()) return 'has half a character in its text'
  return null
}

function checkCatalog(catalog: Catalog): readonly string[] {
  const models = catalog.list()
  const problems = models.flatMap((model) => {
    const problem = checkModel(model)
    return problem === null ? [] : [`${JSON.stringify(model.id)} ${problem}`]
  })
  const ids = new Set(models.map(({ id }) => id))
  if (ids.size !== models.length) problems.push('two models have one id')
  const whole = { object: 'list', data: models.map(renderModel), total_count: models.length, links: { next: null } }
  const told: unknown = JSON.parse(JSON.stringify(whole))
  const read = endpoints.listModels.reply.json.safeParse(told)
  if (!read.success) problems.push(`the list cannot be served: ${read.error.message.slice(0, STORY_LENGTH)}`)
  return problems
}

interface Stage {
  readonly upstream: Upstream
  readonly catalog: LiveCatalog
  readonly build: ReturnType<typeof openParts>['build']
  readonly lastGood: LastGoodCopy
}

async function refresh({ upstream, ...parts }: Stage): Promise<RefreshResult> {
  const fetchList = async (): Promise<unknown> => {
    const list = await upstream.listModels()
    return upstream.completeList === undefined ? list : upstream.completeList(list)
  }
  return refreshCatalog({ ...parts, fetchList, clock: { now: () => Date.now() } })
}

/** @returns what is wrong after one list. */
async function checkRefresh(stage: Stage, before: Catalog, result: RefreshResult): Promise<readonly string[]> {
  const { catalog, lastGood } = stage
  if (result.kind === 'kept') return catalog.current() === before ? [] : ['a list that was none changed the catalog']
  const kept = await lastGood.read()
  const again = kept === null ? -1 : stage.build(kept).catalog.list().length
  return [
    ...checkCatalog(catalog.current()),
    ...(again === catalog.list().length ? [] : [`the copy has ${again} models, the catalog ${catalog.list().length}`]),
    ...('polluted' in {} ? ['a list changed what all objects have'] : []),
  ]
}

/** Runs it. @param seed decides every list. */
export async function runListFuzz({ seed, lists }: { readonly seed: number; readonly lists: number }) {
  const random = createRandom(seed)
  const draw = createDraw(seed)
  let text = ''
  const { origin, close } = await listenOnLoopback(serve({ random, draw }, () => text))
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-lists-'))
  const upstream = openOpenRouter({
    ...{ name: 'main', url: `${origin}/v1`, apiKey: null, allowH2: false, findProxy: DIRECT },
    timeouts: { connectMs: PATIENCE_MS, firstByteMs: PATIENCE_MS, idleMs: PATIENCE_MS },
    ...{ reportsCost: false, failuresAreFree: true, supportsChoices: false, clock: { now: () => Date.now() } },
  })
  const stage: Stage = { upstream, ...openParts(dataDir) }
  const faults: string[] = []
  let [taken, slowestMs] = [0, 0]
  try {
    for (let number = 0; number < lists; number++) {
      text = draw(hostileList)
      const before = stage.catalog.current()
      const startedAt = performance.now()
      const problems = await refresh(stage).then(
        (result) => {
          if (result.kind === 'refreshed') taken++
          return checkRefresh(stage, before, result)
        },
        (error: unknown) => [`a list ended the refresh: ${error instanceof Error ? error.stack : String(error)}`],
      )
      const elapsedMs = performance.now() - startedAt
      slowestMs = Math.max(slowestMs, elapsedMs)
      if (elapsedMs > SLOW_MS) faults.push(`list ${number} took ${elapsedMs.toFixed(0)} ms`)
      faults.push(...problems.map((problem) => `list ${number}: ${problem}\n${text.slice(0, STORY_LENGTH)}`))
    }
  } finally {
    await upstream.close()
    await close()
    await rm(dataDir, { recursive: true })
  }
  return { lists, taken, slowestMs, faults } satisfies ListFuzzReport
}
