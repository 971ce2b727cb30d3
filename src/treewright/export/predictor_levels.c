/* -- The numbers of levels. -- */
#if TEXT_LEVELS
double model_level(int32_t column, const char *text, size_t length) {
  size_t low, high;
  if (column < 0 || column >= COLUMNS) return UNSEEN_MISSING;
  low = model_text_begin[column];
  high = model_text_begin[column + 1];
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const model_text *const level = &model_texts[middle];
    const size_t both = level->length < length ? level->length : length;
    const int order = memcmp(level->bytes, text, both);
    if (order == 0 && level->length == length) return level->code;
    if (order < 0 || (order == 0 && level->length < length))
      low = middle + 1;
    else
      high = middle;
  }
  return model_unseen[column];
}
#endif

#if NUMBER_LEVELS
double model_level_number(int32_t column, double value) {
  size_t at;
  if (column < 0 || column >= COLUMNS || value != value) return UNSEEN_MISSING;
  for (at = model_number_begin[column]; at < model_number_begin[column + 1]; ++at)
    if (model_numbers[at].value == value) return model_numbers[at].code;
  return model_unseen[column];
}
#endif
