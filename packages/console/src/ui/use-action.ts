import { useMutation, type UseMutationOptions } from '@tanstack/react-query'
import { useState } from 'react'
import { newId } from '../api/new-id.ts'

/**
 * The name of what a form asks for. It is made with the form, stays while the same is asked for again after a failure,
 * and is another one once that was done, or when something else is asked for.
 */
class FormRequest {
  #name = newId()
  #content: string | null = null
  #isRunning = false

  /** @returns false while the last request runs: what comes meanwhile is a second click. */
  begin(input: unknown): boolean {
    if (this.#isRunning) return false
    this.#isRunning = true
    const content = JSON.stringify(input) ?? ''
    if (this.#content !== null && this.#content !== content) this.#name = newId()
    this.#content = content
    return true
  }

  async run<Output>(work: (name: string) => Promise<Output>): Promise<Output> {
    try {
      const output = await work(this.#name)
      this.#name = newId()
      this.#content = null
      return output
    } finally {
      this.#isRunning = false
    }
  }
}

interface Action<Input, Output> extends Omit<UseMutationOptions<Output, Error, Input>, 'mutationFn'> {
  /** Does it. `name` is for the request: see `named`. */
  readonly act: (input: Input, name: string) => Promise<Output>
}

/** Something that creates or pays: a second click while it runs does nothing, and a repetition is known as one. */
export function useAction<Input = void, Output = unknown>({ act, ...options }: Action<Input, Output>) {
  const [request] = useState(() => new FormRequest())
  const mutation = useMutation({
    ...options,
    mutationFn: (input: Input) => request.run((name) => act(input, name)),
  })
  const mutate: typeof mutation.mutate = (...given) => {
    if (request.begin(given[0])) mutation.mutate(...given)
  }
  return { ...mutation, mutate }
}
