import { useMutation, useQueryClient } from '@tanstack/react-query'
import { OPERATOR } from '../../api/operator.ts'
import { toast } from '../../ui/toasts.tsx'

/** Something that an operator does: what it changes is asked for anew, and what was done is said. */
export function useDeed<Input>(work: (input: Input) => Promise<unknown>, said: string, onDone?: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: work,
    onSuccess: async () => {
      toast.done(said)
      onDone?.()
      await Promise.all([
        client.invalidateQueries({ queryKey: [OPERATOR] }),
        client.invalidateQueries({ queryKey: ['session'] }),
      ])
    },
  })
}
