/** The playground in a real browser, against the sandbox with real media: what it shows is what was charged. */
import { nanocreditsFrom, nanocreditsOf, NANOCREDITS_PER_CREDIT, parseJsonExact } from '@svc/contract'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createId } from '../packages/server/src/platform/runtime/ids.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { DESK, faultsOf, openConsole, originOf, overhang, overrun, PHONE, TEST_MS } from './console-pages.ts'

/** Short enough for the sandbox to repeat all of it. */
const HOSTILE =
  '<img src=x onerror="window.ran=1"> [a](javascript:window.ran=1) ' +
  '[good](https://example.com/a) ![p](https://example.com/p.png)'

let gateway: TestGateway
let browser: Browser
let context: BrowserContext
let page: Page
let accountId = ''
let teamId = ''
const complaints: string[] = []
const hosts = new Set<string>()

const origin = (): string => originOf(gateway)

beforeAll(async () => {
  browser = await openConsole()
  // With the recogniser of the machine, where there is one.
  gateway = await startTestGateway({ env: { PATH: process.env['PATH'] ?? '' } })
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: DESK })
  page = await context.newPage()
  page.setDefaultTimeout(60_000)
  page.on('console', (message) => {
    // The browser reports refusals of the gateway, too; everything else would be a fault of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    if (request.url().startsWith('http')) hosts.add(new URL(request.url()).host)
  })
  await signIn()
  const { ledger, clock } = gateway.gateway
  await ledger.submit({
    kind: 'credit',
    source: 'grant',
    reason: 'test',
    transferId: createId(clock.now()),
    now: clock.now(),
    accountId,
    amount: nanocreditsOf(1_000n * NANOCREDITS_PER_CREDIT),
  })
}, TEST_MS)
// One that fails leaves none of its answers to the next.
afterEach(() => page.unrouteAll())
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

async function signIn(): Promise<void> {
  await page.goto(`${origin()}/console`)
  await page.getByRole('button', { name: 'Enter the sandbox' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  const visit = await get<{ teams: { id: string; account_id: string }[] }>('session')
  accountId = visit.teams[0]?.account_id ?? ''
  teamId = visit.teams[0]?.id ?? ''
}

/** Calls the console as the page does. */
async function get<Answer>(path: string, method = 'GET'): Promise<Answer> {
  const text = await page.evaluate(
    async ([address, verb]) => (await fetch(`/api/console/${address}`, { method: verb ?? 'GET' })).text(),
    [path, method],
  )
  return parseJsonExact(text) as Answer
}

interface Records {
  readonly data: readonly {
    request_id: string
    key_name: string
    type: string
    status: string
    credits_charged: string
  }[]
}

/** What the usage says of the playground, newest first. */
const usage = (): Promise<Records> => get(`teams/${teamId}/usage?key=playground`)

async function openTab(tab: 'chat' | 'image' | 'video' | 'audio'): Promise<void> {
  await page.goto(`${origin()}/console/team/${teamId}/playground?tab=${tab}`)
  await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
}

async function pickModel(label: string, id: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${label}: `) }).click()
  // What is typed goes into the search at once.
  await page.locator('[role=dialog] input:focus').waitFor()
  await page.keyboard.insertText(id)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: `${label}: ${id}` }).waitFor()
}

async function ask(text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}

const answers = (state: string) => page.locator(`article[data-state=${state}]`)
const chargeOf = async (at: ReturnType<typeof answers>): Promise<string> => {
  const told = at.getByTestId('charge').and(page.locator(':not([data-charge=""])'))
  return (await told.getAttribute('data-charge')) ?? ''
}

/** The last price on the page, once it is that of what is asked for now. */
const shownPrice = async (): Promise<string> => {
  await expect.poll(() => page.locator('[aria-busy=true] > [data-testid=price]').count()).toBe(0)
  return page.getByTestId('price').last().innerText()
}

test('answers of two models, their charges, and what a reload keeps', { timeout: TEST_MS }, async () => {
  await openTab('chat')
  await page.getByRole('button', { name: 'Compare with another' }).click()
  await pickModel('Model 2', 'svc-opus')
  await page.getByLabel('System prompt').fill('Be brief.')
  expect(await shownPrice()).toMatch(/^[\d.]+ – [\d.]+ credits$/)
  await ask(HOSTILE)
  await expect.poll(() => answers('done').count(), { timeout: 30_000 }).toBe(2)
  const shown = [await chargeOf(answers('done').nth(0)), await chargeOf(answers('done').nth(1))]
  const { data } = await usage()
  expect(data.map(({ key_name: name }) => name)).toEqual(['Playground', 'Playground'])
  expect(data.map(({ credits_charged: charge }) => charge).toSorted()).toEqual(shown.toSorted())
  expect(await faultsOf(page)).toEqual([])

  await page.getByRole('button', { name: 'Show the request as code' }).click()
  const code = page.getByTestId('sample-curl')
  expect(await code.innerText()).toContain('Be brief.')
  expect(await code.innerText()).not.toContain('sk-svc-')
  await page.keyboard.press('Escape')

  await page.reload()
  await expect.poll(() => answers('done').count()).toBe(2)
  expect([await chargeOf(answers('done').nth(0)), await chargeOf(answers('done').nth(1))]).toEqual(shown)
  expect(await page.getByLabel('System prompt').inputValue()).toBe('Be brief.')
})

// Case B184: what a model or a person writes is text. The sandbox repeats what it was asked.
test('hostile words do nothing: no script, no image from elsewhere, no link but to pages', async () => {
  const answer = answers('done').first()
  await answer.getByRole('link', { name: 'good' }).waitFor()
  expect(await answer.innerText()).toContain('<img src=x onerror=')
  expect(await answer.locator('img, script, svg[onload], iframe').count()).toBe(0)
  const outside = await answer.locator('a[target]').all()
  const links = await Promise.all(
    outside.map((link) => Promise.all([link.getAttribute('href'), link.getAttribute('rel')])),
  )
  expect(links).toEqual([
    ['https://example.com/a', 'noopener noreferrer nofollow'],
    ['https://example.com/p.png', 'noopener noreferrer nofollow'],
  ])
  expect(await page.evaluate('window.ran')).toBeUndefined()
  const kept = await page.evaluate<string>(`new Promise((resolve) => {
    const request = indexedDB.open('svc-playground')
    request.onsuccess = () => {
      const all = request.result.transaction('things').objectStore('things').getAll()
      all.onsuccess = () => {
        request.result.close()
        resolve(JSON.stringify([all.result, { ...localStorage }, { ...sessionStorage }, document.cookie]))
      }
    }
  })`)
  expect(kept).toContain('onerror')
  expect(kept).not.toContain('sk-svc-')
  expect(await page.content()).not.toContain('sk-svc-')
})

test('a stop keeps what had come and shows its charge; edit and retry lose nothing', { timeout: TEST_MS }, async () => {
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await page.getByRole('button', { name: 'Leave model 2 out' }).click()
  await pickModel('Model', 'svc-sandbox/stall@6')
  await ask('Hello')
  await answers('running').locator('.break-words').getByText(/\w/).first().waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await answers('stopped').getByText('You stopped it.').waitFor()
  const charge = await chargeOf(answers('stopped'))
  expect(nanocreditsFrom(charge)).toBeGreaterThan(0n)
  expect((await usage()).data[0]).toMatchObject({ status: 'cancelled', credits_charged: charge })

  await pickModel('Model', 'svc-gpt')
  await page.getByRole('button', { name: 'Edit the message' }).click()
  await page.getByLabel('The message anew').fill('Hello again')
  await page.getByRole('button', { name: 'Send anew' }).click()
  await answers('done').waitFor()
  await page.getByRole('button', { name: 'The one before' }).first().click()
  await answers('stopped').waitFor()
  await page.getByRole('button', { name: 'Retry svc-sandbox/stall@6' }).click()
  await answers('done').getByText('2 of 2').waitFor()
})

// Case B187: whatever a stream ends with, the waiting ends, with the reason and the charge.
test('failures are shown with their charge and what helps', { timeout: TEST_MS }, async () => {
  for (const [model, words] of [
    ['svc-sandbox/empty', 'Free'],
    ['svc-sandbox/cut@2', 'estimated'],
    ['no/<script>alert(1)</script>', 'Free'],
  ] as const) {
    await page.getByRole('button', { name: 'New', exact: true }).click()
    await pickModel('Model', model)
    await ask('Hello')
    await answers('failed').getByTestId('charge').getByText(words).waitFor()
    expect(await answers('failed').getByRole('alert').innerText()).toMatch(/Request [0-9a-f-]{36}/)
  }
  // Case B189: the refusal names what is needed, and the way to it.
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await pickModel('Model', 'svc-sandbox/402')
  await ask('Hello')
  const refusal = answers('failed').getByRole('alert')
  await refusal.getByText(/It can cost [\d,.]+ credits; [\d,.]+ are left, so [\d,.]+ are missing\./).waitFor()
  expect(await refusal.getByRole('link', { name: 'Add credits' }).getAttribute('href')).toContain(`${teamId}/fund`)
  // More credits help neither a key nor a team whose budget is used up.
  const amounts = { credits_required: 2.5, credits_available: 0.5, credits_short: 2, affordable_max_tokens: 1_200 }
  for (const [limit, code, link, place] of [
    ['key', 'key_budget_exceeded', 'Raise the key’s budget', `/console/team/${teamId}/keys/k-1`],
    ['team', 'team_budget_exceeded', 'Raise the team’s spending cap', `/console/team/${teamId}/team`],
  ] as const) {
    const error = { ...amounts, message: 'raw', type: 'insufficient_quota', param: null, code, limit }
    const body = JSON.stringify({ error: { ...error, topup_url: `${origin()}${place}` } })
    await page.route('**/api/v1/chat/completions', (route) =>
      route.fulfill({ status: 402, contentType: 'application/json', body }),
    )
    await page.getByRole('button', { name: 'New', exact: true }).click()
    await ask('Hello')
    await refusal.getByText('An answer of up to 1,200 tokens would be covered.').waitFor()
    expect(await refusal.getByRole('link', { name: link }).getAttribute('href')).toBe(place)
    await page.unroute('**/api/v1/chat/completions')
  }
})

test('the page follows an answer until its reader scrolls away, and again from the end on', async () => {
  const content = Array.from({ length: 120 }, (_, at) => `Line ${at}.\n\n`).join('')
  const event = { choices: [{ index: 0, delta: { content } }], usage: {}, svc: { credits_charged: 0 } }
  await page.route('**/api/v1/chat/completions', (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: `data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n` }),
  )
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await ask('Hello')
  await answers('done').getByText('Line 119.').waitFor()
  const left = () => page.evaluate<number>('document.documentElement.scrollHeight - innerHeight - scrollY')
  // A page hears of it before it draws the next time.
  const scrollTo = (top: number) =>
    page.evaluate(`scrollTo(0, ${top}); new Promise((resolve) => requestAnimationFrame(resolve))`)
  const grow = (by: number) =>
    page.evaluate(`document.querySelector('[aria-label=Conversation]').style.paddingBottom = '${by}px'`)
  await expect.poll(left).toBeLessThan(48)
  await scrollTo(100)
  await grow(600)
  await expect.poll(() => page.evaluate('scrollY')).toBe(100)
  await scrollTo(1_000_000)
  await expect.poll(left).toBeLessThan(48)
  await grow(1_200)
  await expect.poll(left).toBeLessThan(48)
  await page.unroute('**/api/v1/chat/completions')
})

test('an answer of a megabyte does not hold the page up', { timeout: TEST_MS }, async () => {
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await pickModel('Model', 'svc-sandbox/huge@1')
  await ask('Hello')
  await answers('done')
    .getByText(/characters more/)
    .waitFor()
  expect((await answers('done').innerText()).length).toBeLessThan(250_000)
})

// As fast as the page reads, and longer than a person waits.
test('a stream that is far too long can be stopped, and little of it is laid out', { timeout: TEST_MS }, async () => {
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await pickModel('Model', 'svc-sandbox/huge@256')
  await ask('Hello')
  await answers('running')
    .getByText(/characters more/)
    .waitFor()
  expect((await answers('running').innerText()).length).toBeLessThan(250_000)
  await page.getByRole('button', { name: 'Stop' }).click()
  await answers('stopped').getByText('You stopped it.').waitFor()
  expect(nanocreditsFrom(await chargeOf(answers('stopped')))).toBeGreaterThan(0n)
  // It is let go of: the next tests need no conversation of megabytes.
  await page.getByRole('button', { name: 'Conversations' }).click()
  await page.getByRole('button', { name: 'Delete “Hello”' }).first().click()
  await page.keyboard.press('Escape')
})

// Case B186: a key that was revoked is said to be so, asked with once, and replaced by a click.
test('a revoked key ends in a clear state and not in a loop', { timeout: TEST_MS }, async () => {
  const { data } = await get<{ data: { id: string }[] }>(`teams/${teamId}/keys?state=playground`)
  for (const { id } of data) await get(`teams/${teamId}/keys/${id}`, 'DELETE')
  let calls = 0
  page.on('request', (request) => {
    if (request.url().includes('/v1/chat/completions')) calls += 1
  })
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await pickModel('Model', 'svc-gpt')
  await ask('Hello')
  await page.getByText('The key of this playground was revoked.').waitFor()
  expect(calls).toBe(1)
  await page.getByRole('button', { name: 'Go on with a new key' }).click()
  await answers('done').waitFor()
})

test('tools are called and answered, files go along, and the code has all of it', { timeout: TEST_MS }, async () => {
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await page.getByRole('button', { name: 'None', exact: true }).click()
  await page.getByRole('button', { name: 'Add a tool' }).click()
  await page.getByLabel('Name', { exact: true }).waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByLabel('Format').selectOption('schema')
  expect(await page.getByText('Give a JSON Schema, or another format.').isVisible()).toBe(true)
  await page.getByLabel('Format').selectOption('text')
  await page.getByLabel('Reasoning').selectOption('low')
  const notes = { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# From the notes') }
  await page.locator('input[aria-label="Attach files"]').setInputFiles([notes])
  await page.getByRole('list', { name: 'Files to send' }).getByText('notes.md').waitFor()
  await page.getByRole('button', { name: 'Show the request as code' }).click()
  const code = await page.getByTestId('sample-curl').innerText()
  for (const part of ['"get_weather"', '"reasoning_effort": "low"', '# From the notes']) expect(code).toContain(part)
  await page.keyboard.press('Escape')
  await ask('Call get_weather for Paris.')
  // The written reply goes back by itself: two requests, each with its charge.
  await answers('done').getByTestId('tool-round').getByText('get_weather').waitFor()
  await answers('done')
    .getByText(/celsius/)
    .last()
    .waitFor()
  await answers('done')
    .getByTestId('figures')
    .getByText(/tokens in · .* first token after .* in all/)
    .waitFor()
  const [second, first] = (await usage()).data
  expect([first?.credits_charged, second?.credits_charged]).not.toContain('0')
  expect(await chargeOf(answers('done'))).toBe(second?.credits_charged)
  expect(await faultsOf(page)).toEqual([])
  // The next conversation begins with the same settings: these are for this one.
  await page.getByLabel('Reasoning').selectOption('default')
  await page.getByRole('button', { name: 'get_weather', exact: true }).click()
  await page.getByRole('button', { name: 'Remove get_weather' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
})

test('an image goes to the model by paste, and comes back as one', { timeout: TEST_MS }, async () => {
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await page.evaluate(`{
    const bytes = Uint8Array.from(atob('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs='), (letter) => letter.charCodeAt(0))
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File([bytes], 'dot.gif', { type: 'image/gif' }))
    const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.querySelector('textarea[aria-label=Message]').dispatchEvent(paste)
  }`)
  await page.getByRole('img', { name: 'dot.gif' }).waitFor()
  await ask('What is this?')
  await answers('done').getByText('image').first().waitFor()

  await openTab('image')
  await page.getByLabel('What the image shows').fill('a cat by the sea')
  await expect.poll(shownPrice).toMatch(/^[\d.]+ – [\d.]+ credits$/)
  const price = await shownPrice()
  await page.getByRole('button', { name: 'Make it' }).click()
  await answers('done').getByTestId('image').waitFor()
  const charge = await chargeOf(answers('done'))
  const [low = '', high = ''] = price.replace(' credits', '').split(' – ')
  expect(nanocreditsFrom(charge)).toBeGreaterThanOrEqual(nanocreditsFrom(low))
  expect(nanocreditsFrom(charge)).toBeLessThanOrEqual(nanocreditsFrom(high))
  expect((await usage()).data[0]).toMatchObject({ type: 'image', credits_charged: charge })
  await page.getByRole('button', { name: /^Change image/ }).click()
  await page.getByLabel('What the image shows').fill('black and white')
  await page.getByRole('button', { name: 'Change it' }).click()
  await expect.poll(() => answers('done').count(), { timeout: 30_000 }).toBe(2)
  await page.reload()
  await expect.poll(() => page.getByTestId('image').count()).toBe(2)
  expect(await faultsOf(page)).toEqual([])
})

test('a video is made while the page is left, and charged once', { timeout: TEST_MS }, async () => {
  await openTab('video')
  await pickModel('Model', 'openrouter/x-ai/grok-imagine-video')
  await page.getByLabel('Length').selectOption('1')
  await page.getByLabel('What the video shows').fill('a dog runs')
  expect(await shownPrice()).toBe('60 credits')
  await page.getByRole('button', { name: 'Make it' }).click()
  await page.getByText('60 credits are held until it is done').waitFor()
  await openTab('chat')
  await openTab('video')
  await page.getByRole('article', { name: 'Video: a dog runs' }).and(answers('completed')).waitFor({ timeout: 90_000 })
  const seconds = () => page.evaluate<number>("document.querySelector('video').duration")
  await expect.poll(seconds).toBeCloseTo(1, 1)
  expect(await chargeOf(answers('completed'))).toBe('60')
  expect((await usage()).data[0]).toMatchObject({ type: 'video', credits_charged: '60' })

  await pickModel('Model', 'svc-sandbox/video-fails')
  await page.getByLabel('What the video shows').fill('nothing')
  await page.getByRole('button', { name: 'Make it' }).click()
  await answers('failed').getByText('Free').waitFor()
  expect(await faultsOf(page)).toEqual([])
})

test('a text is spoken, heard again and followed word by word', { timeout: 180_000 }, async () => {
  await openTab('audio')
  await page.getByLabel('Text to speak').fill('The weather is very nice today.')
  const price = await shownPrice()
  await page.getByRole('button', { name: 'Speak it' }).click()
  await page.getByTestId('waveform').waitFor()
  const spoken = answers('done')
  expect(price).toBe(`${await chargeOf(spoken)} credits`)
  expect((await usage()).data[0]).toMatchObject({ type: 'speech', credits_charged: await chargeOf(spoken) })
  const saved = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download the speech' }).click()
  await page.getByLabel('File to write down').setInputFiles(await (await saved).path())
  await expect.poll(() => page.getByTestId('price').count()).toBe(2)
  const audioPrice = await shownPrice()
  await page.getByRole('button', { name: 'Transcribe' }).click()
  const transcript = page.getByRole('article', { name: /^Transcript/ }).and(answers('done'))
  await transcript.waitFor({ timeout: 120_000 })
  expect(audioPrice).toBe(`${await chargeOf(transcript)} credits`)
  expect((await usage()).data[0]).toMatchObject({ type: 'transcription', credits_charged: await chargeOf(transcript) })
  await transcript.getByRole('slider').fill('1')
  await transcript.locator('[data-now]').waitFor()
  const subtitles = page.waitForEvent('download')
  await page.getByRole('button', { name: '.srt' }).click()
  expect((await subtitles).suggestedFilename()).toBe('transcript.srt')
  expect(await faultsOf(page)).toEqual([])
})

// Case B184: an image that is a program, and names of models that are.
test('an image of a model and the names of models are shown, and never run', { timeout: TEST_MS }, async () => {
  const evil = `<img src=x onerror="window.ran=1"><script>window.ran=1</script>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8" onload="window.ran=1">
    <script>window.ran=1</script><rect width="8" height="8"/></svg>`
  await page.route('**/api/v1/models?*', async (route) => {
    const reply = (await (await route.fetch()).json()) as { data: { id: string; name: string; svc: object }[] }
    const [first] = reply.data
    const more = { ...first, id: `evil/${evil}`, name: evil, description: evil, owned_by: evil }
    const data = [{ ...more, svc: { ...first?.svc, prompt_training: 'may' } }, ...reply.data]
    await route.fulfill({ json: { ...reply, data } })
  })
  await page.route('**/api/v1/images/generations', (route) => {
    const event = {
      type: 'image_generation.completed',
      b64_json: Buffer.from(svg).toString('base64'),
      svc: { credits_charged: 1 },
    }
    return route.fulfill({
      contentType: 'text/event-stream',
      body: `data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`,
    })
  })
  await openTab('image')
  await page.getByLabel('What the image shows').fill('A square')
  await page.getByRole('button', { name: 'Make it' }).click()
  await page.getByRole('img', { name: 'Image 1 of “A square”' }).waitFor()
  expect(await page.locator('main svg[onload], main script, main iframe, main object').count()).toBe(0)

  await page.goto(`${origin()}/console/team/${teamId}/models?q=evil`)
  await page.getByRole('link', { name: evil }).waitFor()
  // What may train on prompts says so; of the rest the list says nothing.
  await page.getByRole('row', { name: evil }).getByText('may train on prompts').waitFor()
  await page.getByLabel('Search').fill('')
  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByLabel('Prompts').selectOption('may')
  await page.getByText(/^1 of \d+ models$/).waitFor()
  await page.getByLabel('Prompts').selectOption('unknown')
  await page.getByText(/^1 of \d+ models$/).waitFor({ state: 'detached' })
  expect(await page.getByText('may train on prompts', { exact: true }).locator(':scope:not(option)').count()).toBe(0)
  await page.getByLabel('Prompts').selectOption('')
  await page.getByRole('link', { name: evil }).click()
  await page.getByRole('heading', { level: 1, name: evil }).waitFor()
  await page.getByText('may train on prompts, according').waitFor()
  expect(await page.locator('main img, main script').count()).toBe(0)
  await openTab('chat')
  await pickModel('Model', `evil/${evil}`)
  expect(await page.evaluate('window.ran')).toBeUndefined()
  await page.unroute('**/api/v1/models?*')
  await page.unroute('**/api/v1/images/generations')
})

test('on a phone nothing is wider than the screen', { timeout: TEST_MS }, async () => {
  await page.setViewportSize(PHONE)
  for (const tab of ['chat', 'image', 'video', 'audio'] as const) {
    await openTab(tab)
    await page.locator('main textarea').first().waitFor()
    expect(await overhang(page)).toBe(0)
  }
  await openTab('chat')
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await page.getByText('Ask a model something').waitFor()
  // A conversation without a word fills the window to its end, and not a pixel more.
  for (const size of [DESK, PHONE]) {
    await page.setViewportSize(size)
    expect(await overrun(page)).toBe(0)
  }
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByLabel('System prompt').last().waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.keyboard.press('Escape')
})

test('a person whose role may not spend reads so, and signing out leaves nothing behind', async () => {
  await page.route('**/api/console/session', async (route) => {
    const response = await route.fetch()
    const visit = (await response.json()) as { teams: { role: string; permissions: string[] }[] }
    const teams = visit.teams.map((team) => ({ ...team, role: 'viewer', permissions: ['team:read', 'usage:own'] }))
    await route.fulfill({ response, json: { ...visit, teams } })
  })
  await openTab('chat')
  await page.getByText('The role viewer may not spend credits here.').waitFor()
  await page.unroute('**/api/console/session')
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Enter the sandbox' }).waitFor()
  const databases = await page.evaluate<string[]>('indexedDB.databases().then((all) => all.map(({ name }) => name))')
  expect(databases).not.toContain('svc-playground')
  expect(complaints).toEqual([])
  expect([...hosts]).toEqual([new URL(origin()).host])
})
