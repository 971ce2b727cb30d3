/* -- Answers of one row: its leaf, its class or number, shares and scores. -- */
static int32_t model_leaf_below(const double *row, int32_t root) {
  const int32_t leaf = model_descend(root, row);
#if SPREADS
  if (leaf == SPREAD) {
#if ROOM > 512
    model_part *const ends = (model_part *)malloc(2 * (size_t)ROOM * sizeof *ends);
    if (ends == NULL) return REFUSED;
#else
    model_part ends[2 * ROOM];
#endif
    const int32_t n = model_ends(row, root, 0, ends, ends + ROOM);
    model_part best;
    int32_t i;
    best.node = REFUSED;
    best.share = 0;
    for (i = 0; i < n; ++i)
      if (ends[i].share > best.share || (ends[i].share == best.share && ends[i].node < best.node)) best = ends[i];
#if ROOM > 512
    free(ends);
#endif
    return best.node;
  }
#endif
  return leaf;
}

/* -- without members -- */
int32_t model_leaf(const double *row) { return model_leaf_below(row, 0); }
/* -- end -- */

#if SCORES || SHARED
/* Shares in place of the scores of some classes; scores that differ by rounding only are equal. */
static void model_share(double *scores, int32_t n) {
  double most = -1e300, sum = 0;
  int32_t k;
  for (k = 0; k < n; ++k) {
    double score = scores[k];
    if (score != score) score = 0;
    if (score > 1e300) score = 1e300;
    if (score < -1e300 && score != -1e308) score = -1e300; /* -1e308 stands for a class that training had no rows of */
    scores[k] = score;
    if (score > most) most = score;
  }
  for (k = 0; k < n; ++k) {
    const double above = scores[k] - most;
    scores[k] = above >= -1.0 / 134217728 ? 1 : model_exp(above);
    sum += scores[k];
  }
  for (k = 0; k < n; ++k) scores[k] /= sum;
}
#endif

#if SCORES
/* The shares of all classes, as declared, from their scores. 0, or REFUSED. */
static int32_t model_scored(const double *row, int32_t root, int soft, int32_t leaf, double *shares) {
  int32_t k;
  (void)root;
  (void)soft;
#if SPREADS
  if (leaf == SPREAD || soft) {
    if (model_mix(row, root, soft, shares, &leaf) == REFUSED) return REFUSED;
  } else
#endif
  {
    if (leaf < 0) return REFUSED;
    for (k = 0; k < VALUES; ++k)
      if (!model_tell(row, model_nodes[leaf].to[0], k, &shares[k])) return REFUSED;
  }
  model_share(shares, VALUES);
  return 0;
}
#endif

#if GIVES_VALUES
/* All VALUES numbers of the answer of a row that came from a root to a leaf, was refused, or (SPREAD) has to be added up: 0, or REFUSED. */
static int32_t model_values(const double *row, int32_t root, int soft, int32_t leaf, double *said) {
  int32_t k;
  (void)root;
  (void)soft;
#if SCORES
  double shares[VALUES];
  if (model_scored(row, root, soft, leaf, shares) == REFUSED) return REFUSED;
  for (k = 0; k < SHARES; ++k) said[k] = shares[model_order[k]];
  return 0;
#else
#if SPREADS
  if (leaf == SPREAD || soft) return model_mix(row, root, soft, said, &leaf) == REFUSED ? REFUSED : 0;
#endif
  (void)row;
  if (leaf == REFUSED) return REFUSED;
  /* -- without listed -- */
  for (k = 0; k < VALUES; ++k) said[k] = model_answers[model_nodes[leaf].to[0]][k];
  /* -- end -- */
  /* -- only listed -- */
  for (k = 0; k < VALUES; ++k) said[k] = 0;
  leaf = model_nodes[leaf].to[0];
  for (k = model_share_begin[leaf]; k < model_share_begin[leaf + 1]; ++k) said[model_shares[k].place] = model_shares[k].share;
  /* -- end -- */
  return 0;
#endif
}
#endif

#if GIVES_ONE
/* The answer of a row that came from a root to a leaf, was refused, or (SPREAD) has to be added up. */
static model_said model_say(const double *row, int32_t root, int soft, int32_t leaf) {
  (void)root;
  (void)soft;
#if SPREADS && !SCORES
  if (leaf == SPREAD || soft) {
    double said[VALUES];
    const int32_t n = model_mix(row, root, soft, said, &leaf);
    if (n == REFUSED) return NOT_SAID;
#if LABELLED
    {
      int32_t best = 0, k = 1;
      if (n == 1 && !soft) return model_labels[model_nodes[leaf].to[0]];
      for (; k < VALUES; ++k)
        if (said[model_declared[k]] > said[model_declared[best]]) best = k;
      return model_declared[best];
    }
#else
    return said[0];
#endif
  }
#endif
  (void)row;
#if SCORES
  {
    double shares[VALUES];
    int32_t best = 0, k;
    if (model_scored(row, root, soft, leaf, shares) == REFUSED) return NOT_SAID;
    for (k = 1; k < VALUES; ++k)
      if (shares[k] > shares[best]) best = k;
    for (k = 0; model_order[k] != best; ++k) {}
    return k;
  }
#else
  if (leaf == REFUSED) return NOT_SAID;
#if LABELLED
  return model_labels[model_nodes[leaf].to[0]];
#elif LINEAR
  {
    double said;
    return model_tell(row, model_nodes[leaf].to[0], 0, &said) ? said : NOT_SAID;
  }
#else
  return model_answers[model_nodes[leaf].to[0]][0];
#endif
#endif
}

#endif

/* -- without members -- */
#if SEVERAL
int32_t model_predict(const double *row, double *numbers) { return model_values(row, 0, SOFT, model_descend(0, row), numbers); }
#else
model_answer model_predict(const double *row) { return model_say(row, 0, SOFT, model_descend(0, row)); }
#endif

#if CLASSES
int32_t model_predict_proba(const double *row, double *shares) { return model_values(row, 0, SOFT, model_descend(0, row), shares); }
#endif
/* -- end -- */

