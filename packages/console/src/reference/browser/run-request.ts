/** Sends what a form says to this gateway, and shows what it answers, as it comes. */
import { readerKey, signInLink } from './reader-key.ts'

/** Longer answers are cut where they are shown. Source: own choice. */
const SHOWN_MAX = 200_000
const HEADERS = ['x-request-id', 'x-svc-credits-charged'] as const

interface Prepared {
  readonly address: string
  readonly init: RequestInit
}

/** @throws where the body is no JSON. */
function prepare(form: HTMLFormElement): Prepared {
  const fields = new FormData(form)
  const query = new URLSearchParams()
  const parts = new FormData()
  let address = form.dataset['path'] ?? ''
  let body: BodyInit | null = null
  const headers: Record<string, string> = {}
  for (const [name, value] of fields) {
    const [place, field = ''] = name.split(/:(.*)/s)
    const text = typeof value === 'string' ? value : value.name
    if (name === 'body') {
      JSON.parse(text)
      body = text
      headers['content-type'] = 'application/json'
    } else if (text === '') continue
    else if (place === 'path') address = address.replace(`{${field}}`, encodeURIComponent(text))
    else if (place === 'query') query.append(field, text)
    else parts.append(field, value)
  }
  if (form.querySelector('[name^="form:"]') !== null) body = parts
  const asked = query.size === 0 ? address : `${address}?${query.toString()}`
  return { address: asked, init: { method: form.dataset['method'] ?? 'GET', headers, body } }
}

/** JSON on lines of its own; any other text as it is. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

interface Places {
  readonly status: HTMLElement
  readonly media: HTMLElement
  readonly text: HTMLElement
}

async function show(answer: Response, { media, text }: Places): Promise<void> {
  const type = answer.headers.get('content-type') ?? ''
  if (/^(?:image|audio|video)\//.test(type)) {
    const address = URL.createObjectURL(await answer.blob())
    const kind = type.split('/')[0] as 'image' | 'audio' | 'video'
    const element = document.createElement(kind === 'image' ? 'img' : kind)
    element.src = address
    element.className = 'max-h-80 max-w-full'
    if (element instanceof HTMLMediaElement) element.controls = true
    else element.alt = 'What the gateway answered'
    media.append(element)
    return
  }
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return
  let whole = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    whole += part.value
    if (type.startsWith('text/event-stream')) text.textContent = whole.slice(0, SHOWN_MAX)
  }
  const shown = type.includes('json') ? readable(whole) : whole
  text.textContent = shown.length > SHOWN_MAX ? `${shown.slice(0, SHOWN_MAX)}\n… cut here` : shown
}

async function run(form: HTMLFormElement, places: Places, signal: AbortSignal): Promise<void> {
  const { status, media, text } = places
  media.replaceChildren()
  text.textContent = ''
  status.textContent = 'Sending …'
  const { address, init } = prepare(form)
  const headers = new Headers(init.headers)
  if (form.dataset['run'] === 'key') {
    const found = await readerKey()
    if (found === null) {
      status.replaceChildren(signInLink(), ' to send it.')
      return
    }
    headers.set('authorization', `Bearer ${found.key}`)
  }
  const start = performance.now()
  const answer = await fetch(address, { ...init, headers, signal })
  const told = HEADERS.flatMap((name) => {
    const value = answer.headers.get(name)
    return value === null ? [] : [`${name}: ${value}`]
  })
  const say = (): void => {
    status.textContent = [`${answer.status} in ${Math.round(performance.now() - start)} ms`, ...told].join(' · ')
  }
  say()
  await show(answer, places)
  say()
}

function failureText(error: unknown): string {
  if (error instanceof SyntaxError) return `The body is not JSON: ${error.message}`
  // What `fetch` says where no answer came.
  if (error instanceof TypeError || !(error instanceof Error)) return 'The gateway could not be reached.'
  return error.message
}

export function startRunForm(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-run]')
  const answer = form?.querySelector<HTMLElement>('[data-run-answer]')
  const status = form?.querySelector<HTMLElement>('[data-run-status]')
  const media = form?.querySelector<HTMLElement>('[data-run-media]')
  const text = form?.querySelector<HTMLElement>('[data-run-text]')
  const stop = form?.querySelector<HTMLButtonElement>('[data-run-stop]')
  const send = form?.querySelector<HTMLButtonElement>('[type=submit]')
  if (!form || !answer || !status || !media || !text || !stop || !send) return
  let running: AbortController | null = null
  stop.addEventListener('click', () => running?.abort())
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    // Once: a second press would be charged as well.
    if (running !== null) return
    running = new AbortController()
    answer.hidden = false
    stop.hidden = false
    send.disabled = true
    run(form, { status, media, text }, running.signal)
      .catch((error: unknown) => {
        status.textContent = running?.signal.aborted === true ? 'Stopped.' : failureText(error)
      })
      .finally(() => {
        running = null
        stop.hidden = true
        send.disabled = false
      })
  })
}
