/** Addresses that no link has: they are answered as what they are, nothing, and are no fault of the gateway. */
import { consoleEndpointList, endpointList } from '@svc/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildConsole } from '../tools/console/build-console.ts'
import { createRandom } from '../packages/server/testing/random.ts'
import { rawRequest } from '../packages/server/testing/raw-request.ts'
import { peopleEnv, signInByMail } from '../packages/server/testing/people.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useMailServer } from '../packages/server/testing/use-mail-server.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'

const engines = ['sqlite', 'postgres'] as const

const stub = useStubUpstream()
const mail = useMailServer()
let gateways: readonly TestGateway[]
/** What each gateway is sent beside a request: a key, and the cookies of a person who is signed in and operates it. */
const credentials = new Map<TestGateway, readonly string[]>()
/** A team of that person. */
const teams = new Map<TestGateway, string>()

beforeAll(async () => {
  await buildConsole()
  const env = peopleEnv(mail)
  gateways = await Promise.all(engines.map((engine) => startTestGateway({ engine, env, upstreamUrl: stub.url })))
  for (const [index, gateway] of gateways.entries()) {
    const person = await signInByMail(gateway, mail, `ada${index}@example.com`)
    const { teams: own } = await person.json<{ teams: { id: string }[] }>('GET', '/console/session')
    teams.set(gateway, own[0]?.id ?? '')
    const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    credentials.set(gateway, ['authorization', `Bearer ${gateway.key}`, 'cookie', cookie, 'origin', person.origin])
  }
})

afterAll(() => Promise.all(gateways.map((gateway) => gateway.stop())))

/** How many lines of a gateway's log were looked at. */
const read = new Map<TestGateway, number>()

/** What requests have put into the log as a fault since it was looked at last. */
function faultsOf(gateway: TestGateway): readonly string[] {
  const lines = gateway.logged.slice(read.get(gateway) ?? 0)
  read.set(gateway, gateway.logged.length)
  return lines.filter((line) => line.includes('"level":"error"') || line.includes('"level":"fatal"'))
}

test.each([
  '/console/assets/../../etc/passwd',
  '/console/assets/../index.html',
  '/console/assets/%2e%2e/%2e%2e/etc/passwd',
  '/console/assets/..%2f..%2fetc%2fpasswd',
  '/console/assets/..\\..\\etc\\passwd',
  '/console/assets/%00',
  '/console/assets/a%00.js',
  '/console/assets/%',
  '/console/assets/%zz',
  '/console/assets/%c0%ae%c0%ae/x',
  '/console/assets//etc/passwd',
  `/console/assets/${'a'.repeat(300)}`,
  `/console/assets/${'a/'.repeat(5_000)}`,
  '/docs/../package.json',
  '/docs/%2e%2e/package.json',
  '/docs/%00',
  '/docs/%zz',
  '//etc/passwd',
  '/../../etc/passwd',
  '/%00',
  '/%zz',
  '/api/%00',
  '/api/%zz',
  '/api/../console',
  '/api/..%2fconsole',
  `/api/${'a'.repeat(30_000)}`,
])('GET %s is a 404 and no fault', async (path) => {
  for (const gateway of gateways) {
    expect((await rawRequest(gateway.baseUrl, { path })).status).toBe(404)
    expect(faultsOf(gateway)).toEqual([])
  }
})

async function statusOf(gateway: TestGateway, method: string, path: string): Promise<number> {
  const headers = credentials.get(gateway) ?? []
  return (await rawRequest(gateway.baseUrl, { method, path: `/api${path}`, headers })).status
}

const random = createRandom()
console.info(`seed ${random.seed}`)
let turn = random.below(engines.length)
/** The engines take turns from either of them: over a few runs each has got everything, in half of the time. */
const nextGateway = (): TestGateway => gateways[turn++ % engines.length] as TestGateway

/** What may take the place of a parameter. */
const parameters = [
  '%00',
  'a%00b',
  '%zz',
  '..',
  '%2e%2e%2f',
  '%ff',
  '%ed%a0%80',
  'a'.repeat(600),
  "'",
  '%0a',
  '😀',
  '*',
]

describe.each([...endpointList, ...consoleEndpointList].filter(({ path }) => path.includes('{')))(
  '$method $path',
  (endpoint) => {
    test('takes any parameter without a fault', async () => {
      for (const parameter of parameters) {
        const written = encodeURI(parameter).replaceAll('%25', '%')
        const gateway = nextGateway()
        // One's own team, or the first parameter is what everything is refused by.
        const reached = endpoint.path.replace('{team_id}', teams.get(gateway) ?? '')
        for (const path of new Set([reached, endpoint.path])) {
          const status = await statusOf(gateway, endpoint.method, path.replaceAll(/\{\w+\}/g, written))
          expect([parameter, status]).toEqual([parameter, expect.toSatisfy((each: number) => each < 500)])
        }
        expect(faultsOf(gateway)).toEqual([])
      }
    })
  },
)

describe.each(
  [...endpointList, ...consoleEndpointList].filter(({ method, request }) => method === 'GET' && 'query' in request),
)('GET $path', (endpoint) => {
  test('takes any query without a fault', async () => {
    const names = Object.keys(endpoint.request.query?.shape ?? {})
    for (const name of names) {
      for (const value of [...parameters, '-1', '1e9', '9'.repeat(40), '']) {
        const query = `${name}=${encodeURI(value).replaceAll('%25', '%')}`
        const gateway = nextGateway()
        const path = endpoint.path.replace('{team_id}', teams.get(gateway) ?? '')
        const status = await statusOf(gateway, 'GET', `${path}?${query}`)
        expect([name, value, status]).toEqual([name, value, expect.toSatisfy((each: number) => each < 500)])
      }
    }
    for (const gateway of gateways) expect(faultsOf(gateway)).toEqual([])
  })
})
