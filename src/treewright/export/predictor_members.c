/* -- Forests: the leaves of all members, and what these say together. -- */
int32_t model_leaf(const double *row, int32_t *leaves) {
  int32_t m, none = 0;
  for (m = 0; m < MEMBERS; ++m) {
    const int32_t leaf = model_leaf_below(row, model_members[m].root);
    leaves[m] = leaf < 0 ? REFUSED : leaf - model_members[m].root;
    if (leaf < 0) none = REFUSED;
  }
  return none;
}

#if MEDIAN
/* The least number that numbers of half of the weight do not exceed: they are put in order, equal ones as they came. */
static double model_median(double *numbers, double *weights) {
  double reached[MEMBERS];
  int32_t m, at;
  for (m = 0; m < MEMBERS; ++m) {
    const double number = numbers[m], weight = weights[m];
    for (at = m; at > 0 && numbers[at - 1] > number; --at) {
      numbers[at] = numbers[at - 1];
      weights[at] = weights[at - 1];
    }
    numbers[at] = number;
    weights[at] = weight;
  }
  for (m = 0; m < MEMBERS; ++m) reached[m] = (m > 0 ? reached[m - 1] : 0) + weights[m];
  for (m = 0; reached[m] < 0.5 * reached[MEMBERS - 1]; ++m) {}
  return numbers[m];
}
#endif

#define SAID (CLASSES ? SHARES : SUMS)
/* What the members say together: SAID shares of classes, or numbers. 0, or REFUSED. */
#if ADDS
static int32_t model_together(const double *row, double *said) {
  double scores[SUMS];
  int32_t m, k;
  for (k = 0; k < SUMS; ++k) scores[k] = 0;
  for (m = 0; m < MEMBERS; ++m) {
    const int32_t root = model_members[m].root;
    const double told = model_say(row, root, model_members[m].soft, model_descend(root, row));
    if (told != told) return REFUSED;
    { volatile double part = model_members[m].weight * told; scores[model_members[m].score] += part; } /* volatile: no fused operation */
  }
  for (k = 0; k < SUMS; ++k) scores[k] = model_base[k] + scores[k];
#if SHARED
  model_share(scores, SUMS);
#elif POWERS
  for (k = 0; k < SUMS; ++k) {
    const double inside = scores[k] < 708 ? scores[k] : 708;
    scores[k] = inside > 0 ? 1 / model_exp(-inside) : model_exp(inside);
  }
#endif
#if CLASSES
  for (k = 0; k < SHARES; ++k) said[k] = scores[model_order[k]];
#else
  for (k = 0; k < SUMS; ++k) said[k] = scores[k];
#endif
  return 0;
}
#else
static int32_t model_together(const double *row, double *said) {
  int32_t m, k;
#if MEDIAN
  double numbers[MEMBERS], weights[MEMBERS];
#endif
  for (k = 0; k < SAID; ++k) said[k] = 0;
  for (m = 0; m < MEMBERS; ++m) {
    const int32_t root = model_members[m].root, leaf = model_descend(root, row);
#if VOTES
    const model_said answer = model_say(row, root, model_members[m].soft, leaf);
    if (answer == NOT_SAID) return REFUSED;
    said[answer] += model_members[m].weight;
#else
    double told[VALUES];
#if GIVES_VALUES
    if (model_values(row, root, model_members[m].soft, leaf, told) == REFUSED) return REFUSED;
#else
    told[0] = model_say(row, root, model_members[m].soft, leaf);
    if (told[0] != told[0]) return REFUSED;
#endif
#if MEDIAN
    numbers[m] = told[0];
    weights[m] = model_members[m].weight;
#endif
    for (k = 0; k < SAID; ++k) { volatile double part = model_members[m].weight * told[k]; said[k] += part; } /* volatile: no fused operation */
#endif
  }
#if MEDIAN
  said[0] = model_median(numbers, weights);
#else
  for (k = 0; k < SAID; ++k) said[k] /= WEIGHT;
#endif
  return 0;
}
#endif

#if SEVERAL
int32_t model_predict(const double *row, double *numbers) { return model_together(row, numbers); }
#else
model_answer model_predict(const double *row) {
  double said[SAID];
  if (model_together(row, said) == REFUSED) return NO_ANSWER;
#if CLASSES
  {
    int32_t k;
    double most = said[0];
    for (k = 1; k < SAID; ++k)
      if (said[k] > most) most = said[k];
    /* Shares that differ from the largest by rounding only are as large; of equals the class that was declared first wins. */
    for (k = 0; said[model_declared[k]] < most - TOLERANCE; ++k) {}
    return model_declared[k];
  }
#else
  return said[0];
#endif
}
#endif

#if CLASSES
int32_t model_predict_proba(const double *row, double *shares) { return model_together(row, shares); }
#endif

void model_predict_many(const double *rows, size_t n, model_answer *answers) {
  size_t i;
  for (i = 0; i < n; ++i) {
#if SEVERAL
    size_t k;
    if (model_predict(rows + i * COLUMNS, answers + i * SAID) == REFUSED)
      for (k = 0; k < SAID; ++k) answers[i * SAID + k] = NO_ANSWER;
#else
    answers[i] = model_predict(rows + i * COLUMNS);
#endif
  }
}

