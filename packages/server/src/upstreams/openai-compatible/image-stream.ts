import type { ServiceError } from '../../platform/errors/service-error.ts'
import { parseAnswerJson } from '../../platform/json/parse-json.ts'
import type { PartialImage, Render, UpstreamImages } from '../image-upstream.ts'
import { readRender } from '../render.ts'
import { AnswerEnd } from '../answer-end.ts'
import { SseDecoder } from '../sse-decoder.ts'
import { transportFailure, upstreamFailure } from '../upstream-failure.ts'
import type { Dialect } from './dialect.ts'
import { chatFailure, findError } from './errors.ts'
import { type AnswerFacts, readAnswerFacts } from './image-answer.ts'
import { costOfFailure, isObject } from './usage.ts'

type StreamDialect = Pick<Dialect, 'reportsCost' | 'failuresAreFree'>

/**
 * Reads a stream of one image: partial ones, then the whole. OpenAI names its events, OpenRouter does not; both say
 * in `type` what they are. Source: OpenAI's and OpenRouter's API references, image generation events.
 */
export class ImageStreamReader {
  readonly #facts: {
    readonly name: string
    readonly apiKey: string | null
    readonly dialect: StreamDialect
    /** How many images were asked for. */
    readonly count: number
  }
  readonly #answerEnd: AnswerEnd
  readonly #onPartial: (partial: PartialImage) => void
  readonly #decoder: SseDecoder
  #partials = 0
  readonly #renders: Render[] = []
  #answered = 0
  #answer: AnswerFacts | null = null
  error: ServiceError | null = null

  constructor(
    facts: {
      readonly name: string
      readonly apiKey: string | null
      readonly dialect: StreamDialect
      readonly count: number
    },
    onPartial: (partial: PartialImage) => void,
    /** Called when the images have come and nothing more does. */
    onOver: () => void,
  ) {
    this.#facts = facts
    this.#onPartial = onPartial
    this.#answerEnd = new AnswerEnd(onOver)
    this.#decoder = new SseDecoder((data) => this.#event(data))
  }

  /** @returns false when nothing more is wanted: `error` says why. */
  push(chunk: Buffer): boolean {
    try {
      this.#decoder.push(chunk)
    } catch (error) {
      this.error ??= transportFailure(this.#facts.name, error)
    }
    return this.error === null
  }

  /** The stream is over. @returns what came of it: the image, or why there is none. */
  end(): Omit<UpstreamImages, 'generationId'> | ServiceError {
    this.#answerEnd.clear()
    if (this.error === null) this.#decoder.end()
    this.#answerEnd.clear()
    const renders = this.#renders.slice(0, this.#facts.count)
    // A completed event without an image is an answer that holds none; no such event is no answer.
    const made =
      this.#answer === null ? null : { renders, answered: Math.min(this.#answered, this.#facts.count), ...this.#answer }
    if (made !== null && renders.length > 0) return made
    if (this.error !== null) return this.error
    return made ?? upstreamFailure('broken', { upstream: this.#facts.name })
  }

  #event(data: string): void {
    if (data === '[DONE]' || this.error !== null) return
    const value = parse(data)
    if (!isObject(value)) return
    if (findError(value) !== null) {
      const { name: upstream, apiKey, dialect } = this.#facts
      const { failuresAreFree } = dialect
      const cost = costOfFailure(value, () => Buffer.from(data), dialect)
      this.error = chatFailure({
        upstream,
        value,
        status: null,
        retryAfterSeconds: null,
        apiKey,
        failuresAreFree,
        cost,
      })
      return
    }
    const type = typeof value['type'] === 'string' ? value['type'] : ''
    const render = readRender(value['b64_json'], value['media_type'])
    if (type.endsWith('.partial_image') && render !== null) {
      this.#onPartial({ base64: render.base64, index: this.#partials++ })
    } else if (type.endsWith('.completed')) {
      this.#answer = readAnswerFacts(value, () => Buffer.from(data), this.#facts.dialect)
      this.#answered++
      if (render !== null) this.#renders.push({ ...render, revisedPrompt: null })
      if (this.#answered >= this.#facts.count) this.#answerEnd.whole(true)
    }
  }
}

function parse(text: string): unknown {
  try {
    return parseAnswerJson(text)
  } catch {
    return undefined
  }
}
