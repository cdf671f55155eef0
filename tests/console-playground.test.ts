/** The playground in a real browser, against the sandbox: what it shows is what was charged. */
import { nanocreditsFrom } from '@svc/contract'
import { expect, test } from 'vitest'
import { DESK, faultsOf, overhang, overrun, PHONE, TEST_MS } from './console-pages.ts'
import { usePlayground } from './playground-page.ts'

/** Short enough for the sandbox to repeat all of it. */
const HOSTILE =
  '<img src=x onerror="window.ran=1"> [a](javascript:window.ran=1) ' +
  '[good](https://example.com/a) ![p](https://example.com/p.png)'

const play = usePlayground()
const { openTab, pickModel, ask, answers, chargeOf, shownPrice, usage, get, origin } = play

test('answers of two models, their charges, and what a reload keeps', { timeout: TEST_MS }, async () => {
  await openTab('chat')
  await play.page.getByRole('button', { name: 'Compare with another' }).click()
  await pickModel('Model 2', 'svc-opus')
  await play.page.getByLabel('System prompt').fill('Be brief.')
  expect(await shownPrice()).toMatch(/^about [\d.]+, at most [\d.]+ credits$/)
  await ask(HOSTILE)
  await expect.poll(() => answers('done').count(), { timeout: 30_000 }).toBe(2)
  const shown = [await chargeOf(answers('done').nth(0)), await chargeOf(answers('done').nth(1))]
  const { data } = await usage()
  expect(data.map(({ key_name: name }) => name)).toEqual(['Playground', 'Playground'])
  expect(data.map(({ credits_charged: charge }) => charge).toSorted()).toEqual(shown.toSorted())
  expect(await faultsOf(play.page)).toEqual([])

  await play.page.getByRole('button', { name: 'Show the request as code' }).click()
  const code = play.page.getByTestId('sample-curl')
  expect(await code.innerText()).toContain('Be brief.')
  expect(await code.innerText()).not.toContain('sk-svc-')
  await play.page.keyboard.press('Escape')

  await play.page.reload()
  await expect.poll(() => answers('done').count()).toBe(2)
  expect([await chargeOf(answers('done').nth(0)), await chargeOf(answers('done').nth(1))]).toEqual(shown)
  expect(await play.page.getByLabel('System prompt').inputValue()).toBe('Be brief.')
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
  expect(await play.page.evaluate('window.ran')).toBeUndefined()
  const kept = await play.page.evaluate<string>(`new Promise((resolve) => {
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
  expect(await play.page.content()).not.toContain('sk-svc-')
})

test('formulas are set without a word in the log of the browser', { timeout: TEST_MS }, async () => {
  await play.page.getByRole('button', { name: 'New', exact: true }).click()
  await ask('$\\frac{a}{b}$ and $\\pmb{x}$ and $\\fcolorbox{red}{blue}{y}$ but $\\nothing{$')
  await expect.poll(() => answers('done').count(), { timeout: 30_000 }).toBe(2)
  await expect.poll(() => answers('done').first().locator('.katex').count()).toBe(3)
  expect(await answers('done').first().innerText()).toContain('\\nothing{')
  expect(play.complaints).toEqual([])
})

test('a stop keeps what had come and shows its charge; edit and retry lose nothing', { timeout: TEST_MS }, async () => {
  await play.page.getByRole('button', { name: 'New', exact: true }).click()
  await play.page.getByRole('button', { name: 'Leave model 2 out' }).click()
  await pickModel('Model', 'svc-sandbox/stall@6')
  await ask('Hello')
  await answers('running').locator('.break-words').getByText(/\w/).first().waitFor()
  await play.page.getByRole('button', { name: 'Stop' }).click()
  await answers('stopped').getByText('You stopped it.').waitFor()
  const charge = await chargeOf(answers('stopped'))
  expect(nanocreditsFrom(charge)).toBeGreaterThan(0n)
  expect((await usage()).data[0]).toMatchObject({ status: 'cancelled', credits_charged: charge })

  await pickModel('Model', 'svc-gpt')
  await play.page.getByRole('button', { name: 'Edit the message' }).click()
  await play.page.getByLabel('The message anew').fill('Hello again')
  await play.page.getByRole('button', { name: 'Send anew' }).click()
  await answers('done').waitFor()
  await play.page.getByRole('button', { name: 'The one before' }).first().click()
  await answers('stopped').waitFor()
  await play.page.getByRole('button', { name: 'Retry svc-sandbox/stall@6' }).click()
  await answers('done').getByText('2 of 2').waitFor()
})

// Case B187: whatever a stream ends with, the waiting ends, with the reason and the charge.
test('failures are shown with their charge and what helps', { timeout: TEST_MS }, async () => {
  for (const [model, words] of [
    ['svc-sandbox/empty', 'Free'],
    ['svc-sandbox/cut@2', 'estimated'],
    ['no/<script>alert(1)</script>', 'Free'],
  ] as const) {
    await play.page.getByRole('button', { name: 'New', exact: true }).click()
    await pickModel('Model', model)
    await ask('Hello')
    await answers('failed').getByTestId('charge').getByText(words).waitFor()
    expect(await answers('failed').getByRole('alert').innerText()).toMatch(/Request [0-9a-f-]{36}/)
  }
  // Case B189: the refusal names what is needed, and the way to it.
  await play.page.getByRole('button', { name: 'New', exact: true }).click()
  await pickModel('Model', 'svc-sandbox/402')
  await ask('Hello')
  const refusal = answers('failed').getByRole('alert')
  await refusal.getByText(/It can cost [\d,.]+ credits; [\d,.]+ are left, so [\d,.]+ are missing\./).waitFor()
  expect(await refusal.getByRole('link', { name: 'Add credits' }).getAttribute('href')).toContain(`${play.teamId}/fund`)
  // More credits help neither a key nor a team whose budget is used up.
  const amounts = { credits_required: 2.5, credits_available: 0.5, credits_short: 2, affordable_max_tokens: 1_200 }
  for (const [limit, code, link, place] of [
    ['key', 'key_budget_exceeded', 'Raise the key’s budget', `/console/team/${play.teamId}/keys/k-1`],
    ['team', 'team_budget_exceeded', 'Raise the team’s spending cap', `/console/team/${play.teamId}/team`],
  ] as const) {
    const error = { ...amounts, message: 'raw', type: 'insufficient_quota', param: null, code, limit }
    const body = JSON.stringify({ error: { ...error, topup_url: `${origin()}${place}` } })
    await play.page.route('**/api/v1/chat/completions', (route) =>
      route.fulfill({ status: 402, contentType: 'application/json', body }),
    )
    await play.page.getByRole('button', { name: 'New', exact: true }).click()
    await ask('Hello')
    await refusal.getByText('An answer of up to 1,200 tokens would be covered.').waitFor()
    expect(await refusal.getByRole('link', { name: link }).getAttribute('href')).toBe(place)
    await play.page.unroute('**/api/v1/chat/completions')
  }
})

test('the page follows an answer until its reader scrolls away, and again from the end on', async () => {
  const content = Array.from({ length: 120 }, (_, at) => `Line ${at}.\n\n`).join('')
  const event = { choices: [{ index: 0, delta: { content } }], usage: {}, svc: { credits_charged: 0 } }
  await play.page.route('**/api/v1/chat/completions', (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: `data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n` }),
  )
  await play.page.getByRole('button', { name: 'New', exact: true }).click()
  await ask('Hello')
  await answers('done').getByText('Line 119.').waitFor()
  const left = () => play.page.evaluate<number>('document.documentElement.scrollHeight - innerHeight - scrollY')
  // A page hears of it before it draws the next time.
  const scrollTo = (top: number) =>
    play.page.evaluate(`scrollTo(0, ${top}); new Promise((resolve) => requestAnimationFrame(resolve))`)
  const grow = (by: number) =>
    play.page.evaluate(`document.querySelector('[aria-label=Conversation]').style.paddingBottom = '${by}px'`)
  await expect.poll(left).toBeLessThan(48)
  await scrollTo(100)
  await grow(600)
  await expect.poll(() => play.page.evaluate('scrollY')).toBe(100)
  await scrollTo(1_000_000)
  await expect.poll(left).toBeLessThan(48)
  await grow(1_200)
  await expect.poll(left).toBeLessThan(48)
  await play.page.unroute('**/api/v1/chat/completions')
})

// Case B186: a key that was revoked is said to be so, asked with once, and replaced by a click.
test('a revoked key ends in a clear state and not in a loop', { timeout: TEST_MS }, async () => {
  const { data } = await get<{ data: { id: string }[] }>(`teams/${play.teamId}/keys?state=playground`)
  for (const { id } of data) await get(`teams/${play.teamId}/keys/${id}`, 'DELETE')
  let calls = 0
  play.page.on('request', (request) => {
    if (request.url().includes('/v1/chat/completions')) calls += 1
  })
  await play.page.getByRole('button', { name: 'New', exact: true }).click()
  await pickModel('Model', 'svc-gpt')
  await ask('Hello')
  await play.page.getByText('The key of this playground was revoked.').waitFor()
  expect(calls).toBe(1)
  await play.page.getByRole('button', { name: 'Go on with a new key' }).click()
  await answers('done').waitFor()
})

test('tools are called and answered, files go along, and the code has all of it', { timeout: TEST_MS }, async () => {
  await play.page.getByRole('button', { name: 'New', exact: true }).click()
  await play.page.getByRole('button', { name: 'None', exact: true }).click()
  await play.page.getByRole('button', { name: 'Add a tool' }).click()
  await play.page.getByLabel('Name', { exact: true }).waitFor()
  expect(await faultsOf(play.page)).toEqual([])
  await play.page.getByRole('button', { name: 'Done' }).click()
  await play.page.getByLabel('Format').selectOption('schema')
  expect(await play.page.getByText('Give a JSON Schema, or another format.').isVisible()).toBe(true)
  await play.page.getByLabel('Format').selectOption('text')
  await play.page.getByLabel('Reasoning').selectOption('low')
  const notes = { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# From the notes') }
  await play.page.locator('input[aria-label="Attach files"]').setInputFiles([notes])
  await play.page.getByRole('list', { name: 'Files to send' }).getByText('notes.md').waitFor()
  await play.page.getByRole('button', { name: 'Show the request as code' }).click()
  const code = await play.page.getByTestId('sample-curl').innerText()
  for (const part of ['"get_weather"', '"reasoning_effort": "low"', '# From the notes']) expect(code).toContain(part)
  await play.page.keyboard.press('Escape')
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
  expect(await faultsOf(play.page)).toEqual([])
  // The next conversation begins with the same settings: these are for this one.
  await play.page.getByLabel('Reasoning').selectOption('default')
  await play.page.getByRole('button', { name: 'get_weather', exact: true }).click()
  await play.page.getByRole('button', { name: 'Remove get_weather' }).click()
  await play.page.getByRole('button', { name: 'Done' }).click()
})

// Case B184: an image that is a program, and names of models that are.
test('an image of a model and the names of models are shown, and never run', { timeout: TEST_MS }, async () => {
  const evil = `<img src=x onerror="window.ran=1"><script>window.ran=1</script>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8" onload="window.ran=1">
    <script>window.ran=1</script><rect width="8" height="8"/></svg>`
  await play.page.route('**/api/v1/models?*', async (route) => {
    const reply = (await (await route.fetch()).json()) as { data: { id: string; name: string; svc: object }[] }
    const [first] = reply.data
    const more = { ...first, id: `evil/${evil}`, name: evil, description: evil, owned_by: evil }
    const data = [{ ...more, svc: { ...first?.svc, prompt_training: 'may' } }, ...reply.data]
    await route.fulfill({ json: { ...reply, data } })
  })
  await play.page.route('**/api/v1/images/generations', (route) => {
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
  await play.page.getByLabel('What the image shows').fill('A square')
  await play.page.getByRole('button', { name: 'Make it' }).click()
  await play.page.getByRole('img', { name: 'Image 1 of “A square”' }).waitFor()
  expect(await play.page.locator('main svg[onload], main script, main iframe, main object').count()).toBe(0)

  await play.page.goto(`${origin()}/console/team/${play.teamId}/models?q=evil`)
  await play.page.getByRole('link', { name: evil }).waitFor()
  // What may train on prompts says so; of the rest the list says nothing.
  await play.page.getByRole('row', { name: evil }).getByText('may train on prompts').waitFor()
  await play.page.getByLabel('Search').fill('')
  await play.page.getByRole('button', { name: 'More filters' }).click()
  await play.page.getByLabel('Prompts').selectOption('may')
  await play.page.getByText(/^1 of \d+ models$/).waitFor()
  await play.page.getByLabel('Prompts').selectOption('unknown')
  await play.page.getByText(/^1 of \d+ models$/).waitFor({ state: 'detached' })
  expect(await play.page.getByText('may train on prompts', { exact: true }).locator(':scope:not(option)').count()).toBe(
    0,
  )
  await play.page.getByLabel('Prompts').selectOption('')
  await play.page.getByRole('link', { name: evil }).click()
  await play.page.getByRole('heading', { level: 1, name: evil }).waitFor()
  await play.page.getByText('may train on prompts, according').waitFor()
  expect(await play.page.locator('main img, main script').count()).toBe(0)
  await openTab('chat')
  await pickModel('Model', `evil/${evil}`)
  expect(await play.page.evaluate('window.ran')).toBeUndefined()
  await play.page.unroute('**/api/v1/models?*')
  await play.page.unroute('**/api/v1/images/generations')
})

test('on a phone nothing is wider than the screen', { timeout: TEST_MS }, async () => {
  await play.page.setViewportSize(PHONE)
  for (const tab of ['chat', 'image', 'video', 'audio'] as const) {
    await openTab(tab)
    await play.page.locator('main textarea').first().waitFor()
    expect(await overhang(play.page)).toBe(0)
  }
  await openTab('chat')
  await play.page.getByRole('button', { name: 'New', exact: true }).click()
  await play.page.getByText('Ask a model something').waitFor()
  // A conversation without a word fills the window to its end, and not a pixel more.
  for (const size of [DESK, PHONE]) {
    await play.page.setViewportSize(size)
    expect(await overrun(play.page)).toBe(0)
  }
  await play.page.getByRole('button', { name: 'Settings' }).click()
  await play.page.getByLabel('System prompt').last().waitFor()
  expect(await faultsOf(play.page)).toEqual([])
  await play.page.keyboard.press('Escape')
})

test('a person whose role may not spend reads so, and signing out leaves nothing behind', async () => {
  await play.page.route('**/api/console/session', async (route) => {
    const response = await route.fetch()
    const visit = (await response.json()) as { teams: { role: string; permissions: string[] }[] }
    const teams = visit.teams.map((team) => ({ ...team, role: 'viewer', permissions: ['team:read', 'usage:own'] }))
    await route.fulfill({ response, json: { ...visit, teams } })
  })
  await openTab('chat')
  await play.page.getByText('The role viewer may not spend credits here.').waitFor()
  await play.page.unroute('**/api/console/session')
  await play.page.getByRole('button', { name: 'Your account' }).click()
  await play.page.getByRole('menuitem', { name: 'Sign out' }).click()
  await play.page.getByRole('button', { name: 'Enter the sandbox' }).waitFor()
  const databases = await play.page.evaluate<string[]>(
    'indexedDB.databases().then((all) => all.map(({ name }) => name))',
  )
  expect(databases).not.toContain('svc-playground')
  expect(play.complaints).toEqual([])
  expect([...play.hosts]).toEqual([new URL(origin()).host])
})
