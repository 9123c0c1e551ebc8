/* A small number for the calling operating-system thread, the same at every
 * call: which of the spare chunks of Tern.Prim.Buffer it may take without
 * asking anybody. */
static _Thread_local long slot = -1;
static long next_slot = 0;

long tern_thread_slot(void) {
  if (slot < 0)
    slot = __atomic_fetch_add(&next_slot, 1, __ATOMIC_RELAXED);
  return slot;
}
