/** A port whose upstream may be left alone for a while, since it has failed lately. */
export interface GuardedPort {
  /**
   * Asks before anything is held for a request. Absent: it is never left alone.
   * @throws {UpstreamFailure} `circuit_open` while calls for the model are not made.
   */
  readonly refuseOpen?: (upstreamModel: string) => void
}
