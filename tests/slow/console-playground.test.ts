/** Sound, pictures, videos and answers of megabytes in the playground of a real browser, against the sandbox with real media. */
import { nanocreditsFrom } from '@svc/contract'
import { expect, test } from 'vitest'
import { faultsOf, TEST_MS } from '../console-pages.ts'
import { usePlayground } from '../playground-page.ts'

const play = usePlayground()
const { openTab, pickModel, ask, answers, chargeOf, shownPrice, usage } = play

/** It asks the model of the conversation before, until another one is picked. */
async function startConversation(): Promise<void> {
  await openTab('chat')
  await play.page.getByRole('button', { name: 'New', exact: true }).click()
}

test('an answer of a megabyte does not hold the page up', { timeout: TEST_MS }, async () => {
  await startConversation()
  await pickModel('Model', 'svc-sandbox/huge@1')
  await ask('Hello')
  await answers('done')
    .getByText(/characters more/)
    .waitFor()
  expect((await answers('done').innerText()).length).toBeLessThan(250_000)
})

// As fast as the page reads, and longer than a person waits.
test('a stream that is far too long can be stopped, and little of it is laid out', { timeout: TEST_MS }, async () => {
  await startConversation()
  await pickModel('Model', 'svc-sandbox/huge@256')
  await ask('Hello')
  await answers('running')
    .getByText(/characters more/)
    .waitFor()
  expect((await answers('running').innerText()).length).toBeLessThan(250_000)
  await play.page.getByRole('button', { name: 'Stop' }).click()
  await answers('stopped').getByText('You stopped it.').waitFor()
  expect(nanocreditsFrom(await chargeOf(answers('stopped')))).toBeGreaterThan(0n)
  // It is let go of: the next tests need no conversation of megabytes.
  await play.page.getByRole('button', { name: 'Conversations' }).click()
  await play.page.getByRole('button', { name: 'Delete “Hello”' }).first().click()
  await play.page.keyboard.press('Escape')
})

test('an image goes to the model by paste, and comes back as one', { timeout: TEST_MS }, async () => {
  await startConversation()
  await pickModel('Model', 'svc-gpt')
  await play.page.evaluate(`{
    const bytes = Uint8Array.from(atob('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs='), (letter) => letter.charCodeAt(0))
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File([bytes], 'dot.gif', { type: 'image/gif' }))
    const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.querySelector('textarea[aria-label=Message]').dispatchEvent(paste)
  }`)
  await play.page.getByRole('img', { name: 'dot.gif' }).waitFor()
  await ask('What is this?')
  await answers('done').getByText('image').first().waitFor()

  await openTab('image')
  await play.page.getByLabel('What the image shows').fill('a cat by the sea')
  await expect.poll(shownPrice).toMatch(/^about [\d.]+, at most [\d.]+ credits$/)
  const price = await shownPrice()
  await play.page.getByRole('button', { name: 'Make it' }).click()
  await answers('done').getByTestId('image').waitFor()
  const charge = await chargeOf(answers('done'))
  const [, likely = '', high = ''] = /^about ([\d.]+), at most ([\d.]+) credits$/.exec(price) ?? []
  expect(nanocreditsFrom(likely)).toBeLessThanOrEqual(nanocreditsFrom(high))
  expect(nanocreditsFrom(charge)).toBeLessThanOrEqual(nanocreditsFrom(high))
  expect((await usage()).data[0]).toMatchObject({ type: 'image', credits_charged: charge })
  await play.page.getByRole('button', { name: /^Change image/ }).click()
  await play.page.getByLabel('What the image shows').fill('black and white')
  await play.page.getByRole('button', { name: 'Change it' }).click()
  await expect.poll(() => answers('done').count(), { timeout: 30_000 }).toBe(2)
  await play.page.reload()
  await expect.poll(() => play.page.getByTestId('image').count()).toBe(2)
  expect(await faultsOf(play.page)).toEqual([])
})

test('a video is made while the page is left, and charged once', { timeout: TEST_MS }, async () => {
  await openTab('video')
  await pickModel('Model', 'openrouter/x-ai/grok-imagine-video')
  await play.page.getByLabel('Length').selectOption('1')
  await play.page.getByLabel('What the video shows').fill('a dog runs')
  expect(await shownPrice()).toBe('60 credits')
  await play.page.getByRole('button', { name: 'Make it' }).click()
  await play.page.getByText('60 credits are held until it is done').waitFor()
  await openTab('chat')
  await openTab('video')
  await play.page
    .getByRole('article', { name: 'Video: a dog runs' })
    .and(answers('completed'))
    .waitFor({ timeout: 90_000 })
  const seconds = () => play.page.evaluate<number>("document.querySelector('video').duration")
  await expect.poll(seconds).toBeCloseTo(1, 1)
  expect(await chargeOf(answers('completed'))).toBe('60')
  expect((await usage()).data[0]).toMatchObject({ type: 'video', credits_charged: '60' })

  await pickModel('Model', 'svc-sandbox/video-fails')
  await play.page.getByLabel('What the video shows').fill('nothing')
  await play.page.getByRole('button', { name: 'Make it' }).click()
  await answers('failed').getByText('Free').waitFor()
  expect(await faultsOf(play.page)).toEqual([])
})

test('a text is spoken, heard again and followed word by word', { timeout: 180_000 }, async () => {
  await openTab('audio')
  await play.page.getByLabel('Text to speak').fill('The weather is very nice today.')
  const price = await shownPrice()
  await play.page.getByRole('button', { name: 'Speak it' }).click()
  await play.page.getByTestId('waveform').waitFor()
  const spoken = answers('done')
  expect(price).toBe(`${await chargeOf(spoken)} credits`)
  expect((await usage()).data[0]).toMatchObject({ type: 'speech', credits_charged: await chargeOf(spoken) })
  const saved = play.page.waitForEvent('download')
  await play.page.getByRole('link', { name: 'Download the speech' }).click()
  await play.page.getByLabel('File to write down').setInputFiles(await (await saved).path())
  await expect.poll(() => play.page.getByTestId('price').count()).toBe(2)
  const audioPrice = await shownPrice()
  await play.page.getByRole('button', { name: 'Transcribe' }).click()
  const transcript = play.page.getByRole('article', { name: /^Transcript/ }).and(answers('done'))
  await transcript.waitFor({ timeout: 120_000 })
  expect(audioPrice).toBe(`${await chargeOf(transcript)} credits`)
  expect((await usage()).data[0]).toMatchObject({ type: 'transcription', credits_charged: await chargeOf(transcript) })
  await transcript.getByRole('slider').fill('1')
  await transcript.locator('[data-now]').waitFor()
  const subtitles = play.page.waitForEvent('download')
  await play.page.getByRole('button', { name: '.srt' }).click()
  expect((await subtitles).suggestedFilename()).toBe('transcript.srt')
  expect(await faultsOf(play.page)).toEqual([])
})
