import { getRouteApi } from '@tanstack/react-router'

const route = getRouteApi('/signed-in/team/$teamId/playground')

/** The model that the address asks for, where it is among these; null where it asks for none. */
export function useAskedModel(models: readonly { readonly id: string }[]): string | null {
  const { model } = route.useSearch()
  return models.find(({ id }) => id === model)?.id ?? null
}

/** Takes the model out of the address, once it is picked: a reload shall not pick it again. */
export function useForgetAsked(): () => void {
  const navigate = route.useNavigate()
  return () => void navigate({ search: ({ model: _asked, ...rest }) => rest, replace: true, resetScroll: false })
}
