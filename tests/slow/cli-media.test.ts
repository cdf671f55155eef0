/** The terminal client with files: images, videos, audio, against a whole gateway. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { formatCredits } from '@svc/contract'
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from 'vitest'
import { depositSettings } from '../../packages/server/testing/deposit-gateway.ts'
import { type EvmChain, startEvmChain, usdg } from '../../packages/server/testing/evm-chain.ts'
import { startTestGateway, type TestGateway } from '../../packages/server/testing/test-gateway.ts'
import { useGateway } from '../../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../../packages/server/testing/use-stub-upstream.ts'
import { audioStubOf, sendAudio, audioOf, SPEECH } from '../audio-upstream.ts'
import { createSvc, type Svc } from '../run-svc.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-files-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})
const file = (name: string): string => path.join(folder, name)

describe('with the sandbox', () => {
  const gateway = useGateway()
  let svc: Svc
  beforeAll(() => {
    svc = createSvc({ SVC_BASE_URL: gateway.baseUrl, SVC_API_KEY: gateway.key })
  })
  afterAll(() => svc.remove())

  test('a text is spoken into a file, and what is heard there is the text', async () => {
    const words = 'the quick brown fox jumps over the lazy dog'
    const spoken = await svc(['speak', words, '--format', 'wav', '-o', file('fox.wav')])
    expect(spoken).toMatchObject({ code: 0, out: `${file('fox.wav')}\n` })
    expect(readFileSync(file('fox.wav')).toString('latin1', 0, 4)).toBe('RIFF')
    const heard = await svc.process(['transcribe', file('fox.wav')])
    expect(heard.code).toBe(0)
    const found = words.split(' ').filter((word) => heard.out.includes(word))
    expect(found.length).toBeGreaterThan(5)
    expect(heard.notes).toMatch(/^[\d.]+ credits \(by the length of the audio\) · /)
    const subtitles = await svc(['transcribe', file('fox.wav'), '--format', 'srt', '-o', file('fox.srt')])
    expect(subtitles).toMatchObject({ code: 0, out: '' })
    expect(readFileSync(file('fox.srt'), 'utf8')).toMatch(/^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\n/)
  })

  test('the charge that is shown is the one that was taken', async () => {
    await gateway.settled()
    const before = await gateway.balance()
    const { out } = await svc(['image', 'a cat', '-o', file('cat.png'), '--json'])
    await gateway.settled()
    const after = await gateway.balance()
    expect(/"credits_charged":([\d.]+)/.exec(out)?.[1]).toBe(formatCredits(before.posted - after.posted))
    expect(readFileSync(file('cat.png')).toString('latin1', 1, 4)).toBe('PNG')
  })

  test('a file is of the form that its name says, or is refused before it is paid for', async () => {
    await svc(['image', 'a dog', '-o', file('dog.jpg')])
    expect(readFileSync(file('dog.jpg')).toString('hex', 0, 3)).toBe('ffd8ff')
    await svc(['speak', 'hello there', '-o', file('hello.wav')])
    expect(readFileSync(file('hello.wav')).toString('latin1', 0, 4)).toBe('RIFF')
    await gateway.settled()
    const before = await gateway.balance()
    for (const words of [
      ['image', 'a dog', '-o', file('dog.gif')],
      ['image', 'a dog', '--format', 'png', '-o', file('dog.webp')],
      ['speak', 'hello', '--format', 'mp3', '-o', file('again.wav')],
      ['video', 'a dog', '-o', file('dog.webm')],
      ['transcribe', file('hello.wav'), '--format', 'vtt', '-o', file('hello.srt')],
    ]) {
      expect(await svc(words)).toMatchObject({ code: 2, out: '' })
    }
    expect(await gateway.balance()).toEqual(before)
    expect(readdirSync(folder).sort()).toEqual(['dog.jpg', 'hello.wav'])
  })

  test('an image that comes in a chat is kept, and its name is printed', async () => {
    const { code, out } = await svc.process(['chat', '-m', 'svc-image', 'Draw a cat'], { cwd: folder })
    expect(code).toBe(0)
    const [name = ''] = /chat-[\d-]+\.png$/m.exec(out) ?? []
    expect(readFileSync(file(name)).toString('latin1', 1, 4)).toBe('PNG')
  })

  test('several images get a number each, and an image can be changed', async () => {
    const made = await svc(['image', 'a dog', '-n', '2', '-o', file('dog.png')])
    expect(made.out).toBe(`${file('dog-1.png')}\n${file('dog-2.png')}\n`)
    const changed = await svc(['image', '-i', file('dog-1.png'), 'a hat', '-o', file('hat.png')])
    expect(changed.code).toBe(0)
    expect(readFileSync(file('hat.png')).equals(readFileSync(file('dog-1.png')))).toBe(false)
  })

  test('nothing is overwritten, and nothing is paid for a file that cannot be written', async () => {
    writeFileSync(file('kept.mp3'), 'mine')
    await gateway.settled()
    const before = await gateway.balance()
    const refused = await svc(['speak', 'hello', '-o', file('kept.mp3')])
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.notes).toContain('exists already')
    expect((await svc(['image', 'x', '-o', file('none/x.png')])).code).toBe(1)
    expect((await svc(['image', 'x', '--force', '-o', file('none/x.png')])).code).toBe(1)
    expect((await svc(['speak', 'hello', '--force', '-o', folder])).notes).toContain('is a folder')
    expect((await svc(['transcribe', folder])).notes).toBe(`Error: ${folder} is a folder.\n`)
    expect(readFileSync(file('kept.mp3'), 'utf8')).toBe('mine')
    expect(await gateway.balance()).toEqual(before)
    expect((await svc(['speak', 'hello', '--force', '-o', file('kept.mp3')])).code).toBe(0)
    expect(readFileSync(file('kept.mp3'), 'utf8')).not.toBe('mine')
  })

  test('a failed command leaves no file behind', async () => {
    expect((await svc(['speak', 'hello', '-m', 'no/such-model', '-o', file('a.mp3')])).code).toBe(1)
    expect((await svc(['image', ' ', '-o', file('a.png')])).code).toBe(2)
    expect(readdirSync(folder)).toEqual([])
  })

  test('a job is submitted, taken up again by its id, and its file fetched', async () => {
    const submitted = await svc(['video', '--no-wait', '-d', '5', 'a sunrise'])
    expect(submitted.notes).toContain('are held')
    const id = submitted.out.trim()
    const fetched = await svc(['video', '--job', id, '-o', file('sunrise.mp4')])
    expect(fetched).toMatchObject({ code: 0, out: `${file('sunrise.mp4')}\n` })
    expect(fetched.notes).toMatch(/^[\d,.]+ credits · .+ · 5 s · \d+ bytes\n$/)
    expect(readFileSync(file('sunrise.mp4')).toString('latin1', 4, 8)).toBe('ftyp')
  })
})

describe('with an upstream that sends a lot of audio', () => {
  const upstream = useStubUpstream()
  const gateway = useGateway(() => ({ upstreamUrl: upstream.url }))
  let svc: Svc
  const audio = audioOf(1_000_003)
  audioStubOf(upstream).onSpeech = (_call, response) => sendAudio(response, audio)
  beforeAll(() => {
    svc = createSvc({ SVC_BASE_URL: gateway.baseUrl, SVC_API_KEY: gateway.key })
  })
  afterAll(() => svc.remove())

  // B191
  test('standard output holds the same bytes', async () => {
    const { code, bytes } = await svc.process(['speak', '-m', SPEECH, 'hello', '-o', '-'])
    expect(code).toBe(0)
    expect(bytes.equals(audio)).toBe(true)
  })
})

describe('with a real chain', () => {
  let chain: EvmChain
  let gateway: TestGateway
  let svc: Svc
  beforeAll(async () => {
    chain = await startEvmChain()
    // The first claim looks at the chain; what it waits for is seen by the watcher.
    gateway = await startTestGateway(depositSettings(chain, { deposits: { watch_ms: 1_000 } }))
    svc = createSvc({ SVC_BASE_URL: gateway.baseUrl, SVC_API_KEY: gateway.key })
  })
  afterAll(async () => {
    svc.remove()
    await gateway.stop()
    await chain.stop()
  })

  test('an address is shown, and an argument of another form is wrong usage in one line', async () => {
    expect((await svc(['deposit', 'address'])).out).toMatch(/^0x[0-9a-fA-F]{40} {2}Robinhood Chain: /)
    expect((await svc(['deposit', 'list'])).notes).toContain('No deposits yet')
    for (const [words, said] of [
      [['claim', 'nonsense'], 'The transaction "nonsense" is wrong: expected 0x and 64 hex digits.'],
      [['wallets', 'challenge', '0x12'], 'The address "0x12" is wrong: expected 0x and 40 hex digits.'],
      [['wallets', 'link', '0x123'], 'The signature "0x123" is wrong: expected 0x and hex digits in pairs.'],
      [['wallets', 'unlink', 'mine'], 'The id "mine" is wrong: expected the id of a wallet.'],
    ] as const) {
      // Without a key, too: it is said before anything is asked.
      const outcome = await svc(['deposit', ...words], { env: { SVC_API_KEY: '' } })
      expect(outcome).toMatchObject({ code: 2, out: '', notes: `Error: ${said}\n` })
    }
  })

  test('a payment is claimed, says what it waits for, and is credited once', async () => {
    const { out } = await svc(['deposit', 'address', '--json'])
    const { chains } = JSON.parse(out) as { readonly chains: readonly { readonly address: string }[] }
    const hash = await chain.payToken(chains[0]!.address.toLowerCase() as `0x${string}`, usdg(12))
    const early = await svc(['deposit', 'claim', hash, '--no-wait'])
    expect(early).toMatchObject({
      code: 0,
      out: expect.stringContaining('waiting for its block to be final') as string,
    })
    await chain.finalise()
    const credited = await svc(['deposit', 'claim', hash])
    expect(credited).toMatchObject({ code: 0, out: expect.stringContaining('12,000 credits credited') as string })
    expect((await svc(['deposit', 'claim', hash.toUpperCase().replace('0X', '')])).out).toContain('already before')
    expect((await svc(['deposit', 'list'])).out).toMatch(/12\.0+ USDG +12,000 +credited/)
  })
})
