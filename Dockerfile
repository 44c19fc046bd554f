# quarkcrawl on slim Debian: docker build -t quarkcrawl .
FROM python:3.13-slim AS build
COPY . /src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /src

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(ls /wheels/*.whl)[plot,web,metrics]" \
 && python -m quarkcrawl.content.warmup \
 && rm -rf /wheels \
 && useradd --create-home crawler \
 && install -d -o crawler /data
USER crawler
WORKDIR /data
VOLUME /data
ENTRYPOINT ["quarkcrawl"]
CMD ["--help"]
