import type { ServerResponse } from 'node:http'
import type { FrameWriter } from '../inference/frame-writer.ts'

/** A reader that takes nothing for so long is given up, in milliseconds. Source: own choice. */
export const READER_STALL_MS = 120_000

/** Never compressed and never kept back: each event leaves as it is made. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

/**
 * Answers 200 and opens an event stream on a response.
 *
 * @param options.headers beside those of every stream.
 * @param options.keepAliveMs how often a comment keeps the stream open, in milliseconds.
 */
export function openSseWriter(
  response: ServerResponse,
  options: { readonly headers: Readonly<Record<string, string>>; readonly keepAliveMs: number },
): FrameWriter {
  response.writeHead(200, { ...options.headers, ...streamHeaders })
  response.flushHeaders()
  let stall: NodeJS.Timeout | null = null
  let isOver = false
  const canWrite = (): boolean => !isOver && !response.destroyed
  const keepAlive = setInterval(() => {
    // A reader that is full needs no comment, and would only be filled further.
    if (canWrite() && stall === null) response.write(': keep-alive\n\n')
  }, options.keepAliveMs)
  keepAlive.unref()
  const awaitReader = (): void => {
    stall ??= setTimeout(() => response.destroy(), READER_STALL_MS)
    stall.unref()
  }
  const clearStall = (): void => {
    if (stall !== null) clearTimeout(stall)
    stall = null
  }
  const close = (): void => {
    isOver = true
    clearInterval(keepAlive)
    clearStall()
  }
  response.once('close', close)
  response.on('drain', clearStall)
  return {
    write: (text) => {
      if (!canWrite()) return true
      const hasRoom = response.write(text)
      if (!hasRoom) awaitReader()
      return hasRoom
    },
    end: (text) => {
      if (!canWrite()) return
      isOver = true
      clearInterval(keepAlive)
      response.end(text)
      // Nothing more comes that could find the reader full, and what waits for them is kept until they take it.
      awaitReader()
    },
    onDrain: (listener) => {
      response.on('drain', listener)
    },
  }
}
