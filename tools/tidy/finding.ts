/** A place that breaks a rule of the tree. */
export interface Finding {
  readonly path: string
  readonly message: string
}

/** A place that may break a rule, and why. One that no longer breaks it must go. */
export interface Exception {
  /** Name of the rule's test. */
  readonly rule: string
  readonly path: string
  readonly reason: string
}
