import { ServiceError } from '../../platform/errors/service-error.ts'
import type { FrameWriter, StreamReader } from '../../pipeline/frame-writer.ts'
import { renderSvc } from '../../pipeline/render-charge.ts'
import type { AudioReader, AudioWriter } from './audio-reader.ts'
import { DONE_FRAME, renderErrorFrame } from '../../pipeline/stream-frames.ts'

/** Clients of OpenAI demand counts of tokens; speech is not sold by them. Source: OpenAI, `speech.audio.done`. */
const NO_TOKENS = '"input_tokens":0,"output_tokens":0,"total_tokens":0'

function renderDelta(bytes: Buffer): string {
  return `data: {"type":"speech.audio.delta","audio":"${bytes.toString('base64')}"}\n\n`
}

function openEvents(writer: FrameWriter, characters: number, gone: AbortSignal): AudioWriter {
  let resume: (() => void) | null = null
  const proceed = (): void => {
    resume?.()
    resume = null
  }
  writer.onDrain(proceed)
  gone.addEventListener('abort', proceed)
  return {
    write: (bytes) => {
      if (writer.write(renderDelta(bytes)) || gone.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        resume = resolve
      })
    },
    finish: (bytes, charged) => {
      const usage = `{"type":"characters","characters":${characters},${NO_TOKENS}}`
      const done = `{"type":"speech.audio.done","usage":${usage},"svc":${renderSvc(charged, false, null)}}`
      writer.end(`${renderDelta(bytes)}data: ${done}\n\n${DONE_FRAME}`)
    },
    fail: (error) => writer.end(`${renderErrorFrame(error)}${DONE_FRAME}`),
  }
}

/**
 * Lets a caller read audio as server-sent events: each piece as base64, last the charge. Source: OpenAI, speech events.
 *
 * @param characters of the text, for the last event.
 */
export function eventReader(reader: StreamReader, characters: number): AudioReader {
  return {
    gone: reader.gone,
    open: () => openEvents(reader.open(), characters, reader.gone),
    charged: (charge) => reader.charged(charge),
  }
}

/** The error for a caller whose audio ended for a reason of ours. */
export function brokenAudio(cause: unknown): ServiceError {
  return cause instanceof ServiceError ? cause : new ServiceError('upstream_error', 'The audio broke off.', { cause })
}
