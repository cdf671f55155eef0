/** The way of the terminal client to the gateway, against servers that do what networks do. */
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, createServer as createRawServer, type Server as RawServer } from 'node:net'
import { ConnectionError, createClient, endpoints, type FetchRequest } from '@svc/contract'
import { afterEach, describe, expect, test } from 'vitest'
import { createUpstreamIdentity } from '../bench/upstream-identity.ts'
import { knowsProxies } from '../packages/cli/src/transport/agents.ts'
import { createTransport } from '../packages/cli/src/transport/transport.ts'

const open: (Server | RawServer)[] = []

afterEach(async () => {
  for (const server of open.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function listen(server: Server | RawServer): Promise<string> {
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const serve = async (listener: RequestListener): Promise<string> => `http://${await listen(createServer(listener))}`

function get(signal: AbortSignal = new AbortController().signal): FetchRequest {
  return { method: 'GET', headers: { authorization: 'Bearer sk-svc-secret' }, signal }
}

async function failureOf(work: Promise<unknown>): Promise<ConnectionError> {
  const error = await work.then(
    () => expect.unreachable(),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ConnectionError)
  return error as ConnectionError
}

test('several requests go over one connection, and texts arrive whole', async () => {
  const ports = new Set<number | undefined>()
  const url = await serve((request, response) => {
    ports.add(request.socket.remotePort)
    response.setHeader('x-request-id', 'r').end(`${request.headers['accept-encoding']} ${'日本'.repeat(50_000)}`)
  })
  const transport = createTransport({})
  for (let count = 0; count < 3; count += 1) {
    const response = await transport(url, get())
    expect(response).toMatchObject({ ok: true, status: 200 })
    expect(response.headers.get('X-Request-Id')).toBe('r')
    expect(await response.text()).toBe(`identity ${'日本'.repeat(50_000)}`)
  }
  expect(ports.size).toBe(1)
})

test('a form with a file arrives, and so does an answer that comes before its end', async () => {
  let forms = 0
  const url = await serve((request, response) => {
    forms += 1
    if (request.url === '/early') response.writeHead(413, { connection: 'close' }).end('{}')
    let text = ''
    request.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')))
    request.on('end', () => response.end(`${request.headers['content-type']?.split(';')[0]} ${text.length} ${text}`))
  })
  const body = new FormData()
  body.append('model', 'm')
  body.append('file', new File([new Uint8Array(300_000)], 'audio.wav'))
  const request: FetchRequest = { method: 'POST', headers: {}, body, signal: new AbortController().signal }
  const text = await (await createTransport({})(url, request)).text()
  expect(text).toMatch(/^multipart\/form-data 3\d{5} --/)
  expect(text).toContain('filename="audio.wav"')
  expect(await createTransport({})(`${url}/early`, request)).toMatchObject({ ok: false, status: 413 })
  expect(forms).toBe(2)
})

test('a redirect is reported and not followed: the key stays with the address that was named', async () => {
  const asked: (string | undefined)[] = []
  const url = await serve((request, response) => {
    asked.push(request.url)
    response.writeHead(308, { location: '/elsewhere/api' }).end()
  })
  const error = await failureOf(createTransport({})(`${url}/api`, get()))
  expect(error.message).toContain(`leads on to ${url}/elsewhere/api`)
  expect(error.isPermanent).toBe(true)
  expect(asked).toEqual(['/api'])
})

describe('an answer', () => {
  test('that breaks off is an error, and never a shorter answer', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy())
    })
    const response = await createTransport({})(url, get())
    await expect(response.text()).rejects.toThrow('aborted')
  })

  test('that is interrupted ends the request with the reason, before and in its body', async () => {
    const closed: Promise<void>[] = []
    const url = await serve((_request, response) => {
      closed.push(new Promise((resolve) => response.once('close', resolve)))
      if (closed.length === 1) controllers[0]?.abort(new Error('enough'))
      else response.writeHead(200).write('half')
    })
    const controllers = [new AbortController(), new AbortController()]
    await expect(createTransport({})(url, get(controllers[0]?.signal))).rejects.toThrow('enough')
    const response = await createTransport({})(url, get(controllers[1]?.signal))
    const reader = response.body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('half')
    controllers[1]?.abort(new Error('enough'))
    await expect(reader?.read()).rejects.toThrow('enough')
    await Promise.all(closed)
  })
})

describe('a proxy', () => {
  test('gets what is not excepted, and nothing else', async () => {
    const seen: (string | undefined)[] = []
    const proxy = await serve((request, response) => {
      seen.push(request.url)
      response.end('by proxy')
    })
    const url = await serve((_request, response) => response.end('direct'))
    const { port } = new URL(url)
    const transport = createTransport({ HTTP_PROXY: proxy, no_proxy: '127.0.0.1' })
    expect(await (await transport(url, get())).text()).toBe('direct')
    expect(await (await transport(`http://gateway.invalid:${port}/api`, get())).text()).toBe('by proxy')
    expect(seen).toEqual([`http://gateway.invalid:${port}/api`])
  })

  test('leads to a gateway with TLS through a tunnel, and sees no key', async () => {
    const { key, cert } = createUpstreamIdentity(Date.now())
    const target = await listen(createSecureServer({ key, cert }, (_request, response) => response.end('{}')))
    const seen: string[] = []
    const proxy = createServer().on('connect', (request, socket, head) => {
      seen.push(`${request.method} ${request.url}`, JSON.stringify(request.headers))
      const [host = '', port] = (request.url ?? '').split(':')
      const onward = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        onward.write(head)
        socket.pipe(onward).pipe(socket)
      })
      for (const each of [socket, onward]) each.on('error', () => undefined)
    })
    const transport = createTransport({ https_proxy: `http://${await listen(proxy)}` })
    // Its certificate is not trusted, which is found out at the far end of the tunnel.
    const error = await failureOf(transport(`https://${target}/api`, get()))
    expect(error.message).toContain('NODE_EXTRA_CA_CERTS')
    expect(seen[0]).toBe(`CONNECT ${target}`)
    expect(seen.join()).not.toContain('sk-svc')
  })

  test('is known to Node from 22.21 and 24.5 on, and nothing goes past it before', () => {
    expect(['22.19.0', '22.20.1', '23.11.0', '24.4.1'].filter(knowsProxies)).toEqual([])
    expect(['22.21.0', '24.5.0', '24.21.0', '25.0.0'].filter(knowsProxies)).toHaveLength(4)
  })
})

describe('an error names what is in the way', () => {
  test('nothing listens, an unknown name', async () => {
    const gone = createServer()
    const url = `http://${await listen(gone)}`
    await new Promise((resolve) => open.pop()?.close(resolve))
    const error = await failureOf(createTransport({})(`${url}/api`, get()))
    expect(error).toMatchObject({
      message: `The gateway at ${url} could not be reached: nothing listens there.`,
      isPermanent: false,
    })
  })

  test('a certificate that is not trusted, and TLS where there is none', async () => {
    const { key, cert } = createUpstreamIdentity(Date.now())
    const secure = await listen(createSecureServer({ key, cert }, (_request, response) => response.end()))
    const error = await failureOf(createTransport({})(`https://${secure}/api`, get()))
    expect(error.message).toContain('its certificate is signed by itself')
    expect(error.isPermanent).toBe(true)
    const plain = new URL(await serve((_request, response) => response.end()))
    const noTls = await failureOf(createTransport({})(`https://${plain.host}/api`, get()))
    expect(noTls.message).toContain('it does not speak TLS')
  })

  test('something that speaks no HTTP', async () => {
    const raw = await listen(
      createRawServer(
        (socket) =>
          void socket
            .on('error', () => undefined)
            .resume()
            .end('SSH-2.0\r\n\r\n'),
      ),
    )
    const error = await failureOf(createTransport({})(`http://${raw}/api`, get()))
    expect(error.message).toContain('does not speak HTTP')
  })

  test('what cannot get better is not tried again', async () => {
    let asked = 0
    const url = await serve((_request, response) => {
      asked += 1
      response.writeHead(302, { location: 'https://elsewhere.example/' }).end()
    })
    const client = createClient({ baseUrl: `${url}/api`, fetch: createTransport({}) })
    await failureOf(client.call(endpoints.getBalance))
    expect(asked).toBe(1)
  })
})
