import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { toast } from './toasts.tsx'
import { useAction } from './use-action.ts'

interface Change<Input, Output> {
  /** `name` is for requests that create something. */
  readonly change: (input: Input, name: string) => Promise<Output>
  /** What is asked for anew afterwards. */
  readonly refresh: readonly QueryKey[]
  /** Said when it is done; nothing where the page shows it. */
  readonly done?: string
  readonly onDone?: (output: Output) => void
}

/** Something that is changed at the gateway: what was shown of it is fetched again before it counts as done. */
export function useChange<Input = void, Output = unknown>({ change, refresh, done, onDone }: Change<Input, Output>) {
  const client = useQueryClient()
  return useAction<Input, Output>({
    act: change,
    onSuccess: async (output) => {
      await Promise.all(refresh.map((queryKey) => client.invalidateQueries({ queryKey })))
      if (done !== undefined) toast.done(done)
      onDone?.(output)
    },
  })
}
