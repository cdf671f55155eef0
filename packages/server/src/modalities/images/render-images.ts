/**
 * Images on the wire. Base64 is put into the JSON as it came: it needs no escape, and there are megabytes of it.
 * Pure.
 */
import { formatUsd, type Nanocredits } from '@svc/contract'
import type { PartialImage, Render, UpstreamImages } from '../../upstreams/image-upstream.ts'
import type { Charged } from '../../money/billing/settlement.ts'
import type { ImageCall } from './image-call.ts'
import { renderSvc } from '../../pipeline/render-charge.ts'

/** One image as JSON text. @param url where it can be had; null puts the image itself there. */
export function renderItem(render: Render, url: string | null, form: ImageCall['form']): string {
  const content = url === null ? `"b64_json":"${render.base64}"` : `"url":${JSON.stringify(url)}`
  const revised = render.revisedPrompt === null ? '' : `,"revised_prompt":${JSON.stringify(render.revisedPrompt)}`
  const type = form === 'openrouter' ? `,"media_type":${JSON.stringify(render.mediaType)}` : ''
  return `{${content}${revised}${type}}`
}

/** What the end of an answer reports: the counts of all calls, and the charge. */
export interface ImageTotals {
  readonly answers: readonly UpstreamImages[]
  readonly charged: Charged
  readonly estimated: boolean
}

/** A whole answer as JSON text. @param items from `renderItem`. */
export function renderImages(call: ImageCall, created: number, items: readonly string[], totals: ImageTotals): string {
  const used = renderUsed(call, totals.answers[0])
  return `{"created":${created},${used}"data":[${items.join(',')}],${renderTotals(call, totals)}}`
}

/** Settings as they were used, each followed by a comma. Source: OpenAI's API reference, the image object. */
function renderUsed({ settings }: ImageCall, answer: UpstreamImages | undefined): string {
  const known = answer?.used
  const used = {
    background: known?.background ?? settings.background,
    output_format: known?.outputFormat ?? settings.outputFormat ?? formatOf(answer?.renders[0]),
    quality: known?.quality ?? settings.quality,
    size: known?.size ?? settings.size,
  }
  const told = Object.entries(used).filter(([, value]) => value !== null)
  return told.map(([name, value]) => `"${name}":${JSON.stringify(value)},`).join('')
}

function formatOf(render: Render | undefined): string | null {
  return render === undefined ? null : render.mediaType.replace(/^image\//, '').replace(/\+xml$/, '')
}

/** @param isEvent whether clients demand counts even where no upstream has any. */
function renderTotals(call: ImageCall, { answers, charged, estimated }: ImageTotals, isEvent = false): string {
  const usage = renderUsage(call, answers, charged.charge, isEvent)
  return `${usage === null ? '' : `"usage":${usage},`}"svc":${renderSvc(charged, estimated, null)}`
}

/** Counts of all calls that counted, under the names of the form; null where none did and none is demanded. */
function renderUsage(
  { form }: ImageCall,
  answers: readonly UpstreamImages[],
  charge: Nanocredits,
  isDemanded: boolean,
): string | null {
  const usages = answers.flatMap(({ usage }) => usage ?? [])
  if (usages.length === 0 && form === 'openai' && !isDemanded) return null
  const input = usages.reduce((sum, usage) => sum + usage.inputTokens, 0)
  const output = usages.reduce((sum, usage) => sum + usage.outputTokens, 0)
  const rest = `"total_tokens":${input + output},"cost":${formatUsd(charge)}`
  if (form === 'openrouter') return `{"prompt_tokens":${input},"completion_tokens":${output},${rest}}`
  const image = usages.reduce((sum, usage) => sum + (usage.inputImageTokens ?? 0), 0)
  return renderCounts({ input, output, image }, rest)
}

/** Counts under OpenAI's names, whose clients demand the details, too. What is not told apart is text. */
function renderCounts(counts: { input: number; output: number; image: number }, rest: string): string {
  const { input, output, image } = counts
  const details = `{"text_tokens":${Math.max(0, input - image)},"image_tokens":${image}}`
  return `{"input_tokens":${input},"output_tokens":${output},"input_tokens_details":${details},${rest}}`
}

/** Of an image before the last of its stream: all that is counted is told with the last. */
const COUNTED_LATER = `"usage":${renderCounts({ input: 0, output: 0, image: 0 }, '"total_tokens":0,"cost":0')}`

function eventName({ kind }: ImageCall, what: 'partial_image' | 'completed'): string {
  return `${kind === 'edit' ? 'image_edit' : 'image_generation'}.${what}`
}

function renderEvent(type: string, members: string): string {
  return `event: ${type}\ndata: {"type":"${type}",${members}}\n\n`
}

/** A partial image as an event. */
export function renderPartial(call: ImageCall, created: number, { base64, index }: PartialImage): string {
  const { settings } = call
  const format = settings.outputFormat ?? 'png'
  const members =
    `"b64_json":"${base64}","created_at":${created},"partial_image_index":${index},` +
    `"size":${JSON.stringify(settings.size ?? 'auto')},"quality":${JSON.stringify(settings.quality ?? 'auto')},` +
    `"background":${JSON.stringify(settings.background ?? 'auto')},"output_format":${JSON.stringify(format)}`
  return renderEvent(eventName(call, 'partial_image'), members)
}

/** A whole image as an event. @param totals for the last of a stream; null for others. */
export function renderCompleted(
  call: ImageCall,
  created: number,
  made: { readonly render: Render; readonly answer: UpstreamImages },
  totals: ImageTotals | null,
): string {
  const used = { size: 'auto', quality: 'auto', background: 'auto', ...usedOf(call, made.answer) }
  const settings = Object.entries(used).map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
  const later = call.form === 'openai' ? `,${COUNTED_LATER}` : ''
  const end = totals === null ? later : `,${renderTotals(call, totals, true)}`
  const type = call.form === 'openrouter' ? `,"media_type":${JSON.stringify(made.render.mediaType)}` : ''
  const image = `"b64_json":"${made.render.base64}","created_at":${created}`
  return renderEvent(eventName(call, 'completed'), `${image}${type}${settings.join('')}${end}`)
}

function usedOf(call: ImageCall, answer: UpstreamImages): Record<string, unknown> {
  return Object(JSON.parse(`{${renderUsed(call, answer).replace(/,$/, '')}}`))
}
