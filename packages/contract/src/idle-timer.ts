/** Ends a request whose answer has been silent for too long, through its signal. */
export class IdleTimer {
  readonly #limitMs: number
  readonly #controller = new AbortController()
  #timer: ReturnType<typeof setTimeout>

  constructor(limitMs: number) {
    this.#limitMs = limitMs
    this.#timer = this.#start()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  async *watch(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const bytes of body) {
      // A slow reader is no silence of the gateway: the clock runs only while we wait for it.
      this.stop()
      yield bytes
      this.#timer = this.#start()
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #start(): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      this.#controller.abort(new DOMException('The gateway has been silent for too long.', 'TimeoutError'))
    }, this.#limitMs)
  }
}
