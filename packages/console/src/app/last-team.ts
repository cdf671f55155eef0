/** Which team a person looked at last, kept in the browser: what short addresses without a team lead to. */
const STORAGE_KEY = 'svc-team'

export function rememberTeam(teamId: string): void {
  try {
    localStorage.setItem(STORAGE_KEY, teamId)
  } catch {
    // A browser that keeps nothing asks again.
  }
}

function readTeam(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY)
  } catch {
    return null
  }
}

/**
 * The team that a short address means: the only one, or the one that was looked at last. What another person left in
 * this browser names none of these teams.
 *
 * @returns null where only the person knows.
 */
export function meantTeam<Team extends { readonly id: string }>(teams: readonly Team[]): Team | null {
  const [only, ...others] = teams
  if (only !== undefined && others.length === 0) return only
  const last = readTeam()
  return teams.find(({ id }) => id === last) ?? null
}
