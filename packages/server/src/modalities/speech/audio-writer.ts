import type { ServerResponse } from 'node:http'
import { formatCredits, MARGIN_BPS } from '@svc/contract'
import type { AudioReader, AudioWriter } from './audio-reader.ts'
import { noteCharge } from '../../edge/access-log.ts'
import type { RouteCall } from '../../edge/route.ts'
import { CHARGE_STATE } from '../../edge/set-charge-headers.ts'
import { READER_STALL_MS } from '../../edge/sse-writer.ts'
import { callerGone } from '../../edge/stream-reader.ts'

/** Resolves when the reader takes more, or has gone. One who takes nothing for too long is disconnected. */
function waitForReader(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const stall = setTimeout(() => response.destroy(), READER_STALL_MS)
    stall.unref()
    const proceed = (): void => {
      clearTimeout(stall)
      response.off('drain', proceed)
      response.off('close', proceed)
      resolve()
    }
    response.on('drain', proceed)
    response.on('close', proceed)
  })
}

function openAudio(response: ServerResponse, headers: Readonly<Record<string, string>>): AudioWriter {
  response.writeHead(200, headers)
  // The first bytes may wait for the next ones.
  response.flushHeaders()
  const canWrite = (): boolean => !response.destroyed && !response.writableEnded
  return {
    write: async (bytes) => {
      if (canWrite() && !response.write(bytes)) await waitForReader(response)
    },
    finish: (bytes, { isPending }) => {
      if (!canWrite()) return
      // The headers left before the settlement: what it became follows the last byte.
      if (isPending) response.addTrailers({ [CHARGE_STATE]: 'pending' })
      response.end(bytes)
      // What waits for the reader is kept until they take it; the time begins anew whenever they take some.
      response.setTimeout(READER_STALL_MS, () => response.destroy())
    },
    // The length is not sent beforehand, so only a broken connection shows that the end is missing.
    fail: () => response.destroy(),
  }
}

/** The caller's side of an answer of bytes, in chunks as they come. */
export function audioReader({ request, reply }: RouteCall): AudioReader {
  return {
    gone: callerGone(reply),
    charged: (charge) => noteCharge(request, formatCredits(charge)),
    open: ({ contentType, charge }) => {
      reply.hijack()
      return openAudio(reply.raw, {
        ...(reply.getHeaders() as Record<string, string>),
        'x-request-id': request.id,
        'content-type': contentType,
        'x-svc-credits-charged': formatCredits(charge),
        'x-svc-margin-bps': String(MARGIN_BPS),
        trailer: CHARGE_STATE,
        // Never compressed and never kept back on the way.
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      })
    },
  }
}
