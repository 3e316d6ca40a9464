// @ts-nocheck: Made of search-loops.as by `npm run build:loops`.
export function createPlainLoops(): object {var I;function x(H,m,M){if(H=H>>>0,M=M>>>0,H+M>I.length)throw"tra\
p: invalid memory.fill";I.fill(m,H,H+M)}function q(H){var m=new ArrayBuffer(0),M=new Int8Array(m),O=new Int16Array(
m),r=new Int32Array(m),v=new Uint8Array(m),L=new Uint16Array(m),C=new Uint32Array(m),D=new Float32Array(
m),k=new Float64Array(m),P=Math.imul,T=Math.fround,B=Math.abs,_=Math.clz32,$=Math.min,r0=Math.max,i0=Math.
floor,e0=Math.ceil,n0=Math.trunc,a0=Math.sqrt,U=0;function N(i,l,t,e,o,n,f,a,u,c,b,s,E){i=i|0,l=l|0,
t=t|0,e=e|0,o=o|0,n=n|0,f=f|0,a=a|0,u=u|0,c=c|0,b=b|0,s=s|0,E=E|0;var h=0,w=0,y=0,A=0,g=0,F=0,p=0,S=0,
j=0;r:for(;;){if(l>>>0>p>>>0){h=r[(i+(p<<2|0)|0)>>2];i:{if(!(!a||v[(h+a|0)>>0])||(F=f?r[(f+(h<<2|0)|
0)>>2]:h,(v[(F+u|0)>>0]|0)==1))break i;M[(c+h|0)>>0]=1,S=k[(t+(h<<3|0)|0)>>3],w=b+(F<<3|0)|0,S>k[w>>
3]&&(k[w>>3]=S),j=e+(P(o,h)<<2|0)|0,h=s+(P(o,F)<<2|0)|0,w=0;e:for(;;){if(w>>>0<(o<<2|0)>>>0){y=h+w|0,
r[y>>2]=r[y>>2]|r[(w+j|0)>>2]|0,w=w+4|0;continue e}break e}y=0,w=0;e:for(;;){if(n>>>0>w>>>0){h=w&31|
0,A=32-h|0,g=n-w|0,A=A>>>0<g>>>0?A:g,h=r[(j+((w>>>5|0)<<2|0)|0)>>2]>>>h|0,A>>>0<32&&(h=h&((1<<A|0)-1|
0)|0),g=0;n:for(;;){if(h){h=h&(h-1|0)|0,g=g+1|0;continue n}break n}y=y+g|0,w=w+A|0;continue e}break e}
h=E+(F<<2|0)|0,y>>>0>r[h>>2]>>>0&&(r[h>>2]=y)}p=p+1|0;continue r}break r}}function V(i,l){i=i|0,l=l|
0;var t=0,e=0,o=0,n=0;r:for(;;){if(o>>>0<r[(i+20|0)>>2]>>>0){t=r[(r[(i+4|0)>>2]+(o<<2|0)|0)>>2],(v[(t+
r[l>>2]|0)>>0]|0)==1?(M[(r[i>>2]+t|0)>>0]=0,k[(r[(i+8|0)>>2]+(t<<3|0)|0)>>3]=0,e=r[(i+16|0)>>2],x(r[(i+
12|0)>>2]+(P(e,t)<<2|0)|0,0,e<<2|0)):(e=n,n=e+1|0,r[(r[(i+4|0)>>2]+(e<<2|0)|0)>>2]=t),o=o+1|0;continue r}
break r}r[(i+20|0)>>2]=n}function d(i,l,t,e,o,n,f,a,u,c,b,s,E){i=i|0,l=l|0,t=t|0,e=e|0,o=o|0,n=n|0,f=
+f,a=+a,u=+u,c=+c,b=+b,s=s|0,E=E|0;var h=0,w=0,y=0,A=0,g=0;r:for(;;){if(A>>>0<(o<<2|0)>>>0){y=+(r[(t+
A|0)>>2]>>>0),y=f*(u+y*(a+1)/(y+c+b*+(r[(e+A|0)>>2]>>>0))),h=n+r[(l+A|0)>>2]|0,g=r[(i+8|0)>>2]+(h<<3|
0)|0,w=r[i>>2]+h|0,(v[w>>0]|0)==1?w=0:(M[w>>0]=1,r[(r[(i+4|0)>>2]+(r[(i+20|0)>>2]<<2|0)|0)>>2]=h,r[(i+
20|0)>>2]=r[(i+20|0)>>2]+1|0,w=1),w||(y=k[g>>3]+y),k[g>>3]=y,w=r[(i+12|0)>>2]+((P(h,r[(i+16|0)>>2])+
(s>>>5|0)|0)<<2|0)|0,r[w>>2]=r[w>>2]|(1<<s|0)|0,h=r[(i+12|0)>>2]+((P(h,r[(i+16|0)>>2])+(E>>>5|0)|0)<<
2|0)|0,r[h>>2]=r[h>>2]|(1<<E|0)|0,A=A+4|0;continue r}break r}}function z(i,l,t){i=i|0,l=l|0,t=t|0;var e=0,
o=0,n=0,f=0,a=0,u=0,c=0,b=0;r:for(;;){if(a>>>0<r[(i+20|0)>>2]>>>0){e=r[(r[(i+4|0)>>2]+(a<<2|0)|0)>>2],
c=r[(i+8|0)>>2]+(e<<3|0)|0,b=r[(i+12|0)>>2]+(P(e,r[(i+16|0)>>2])<<2|0)|0,u=0,e=l;i:for(;;){if(t>>>0>
e>>>0){o=e&31|0,n=32-o|0,f=t-e|0,n=n>>>0<f>>>0?n:f,o=r[(b+((e>>>5|0)<<2|0)|0)>>2]>>>o|0,n>>>0<32&&(o=
o&((1<<n|0)-1|0)|0),f=0;e:for(;;){if(o){o=o&(o-1|0)|0,f=f+1|0;continue e}break e}u=f+u|0,e=e+n|0;continue i}
break i}k[c>>3]=k[c>>3]*+(u>>>0),a=a+1|0;continue r}break r}}function G(i,l,t,e,o,n,f){i=i|0,l=l|0,t=
t|0,e=e|0,o=o|0,n=n|0,f=f|0;var a=0,u=0,c=0,b=0;r:for(;;){if(l>>>0>c>>>0){a=r[(i+(c<<2|0)|0)>>2];i:{
if(!(!e||v[(e+a|0)>>0])||(a=t?r[(t+(a<<2|0)|0)>>2]:a,(v[(a+n|0)>>0]|0)==1?u=1:u=(v[(o+a|0)>>0]|0)==1,
u))break i;M[(n+a|0)>>0]=1,u=b,b=b+1|0,r[(f+(u<<2|0)|0)>>2]=a}c=c+1|0;continue r}break r}return b|0}
function J(i,l,t,e,o){i=i|0,l=l|0,t=t|0,e=e|0,o=o|0;var n=0,f=0,a=0,u=0,c=0;r:for(;;){if(l>>>0>a>>>0){
c=r[(i+(a<<2|0)|0)>>2],n=c&(t^-1|0)|0,f=0;i:for(;;){if(n){n=n&(n-1|0)|0,f=f+1|0;continue i}break i}if(e>>>
0<f>>>0)n=1;else{n=t&(c^-1|0)|0,f=0;i:for(;;){if(n){n=n&(n-1|0)|0,f=f+1|0;continue i}break i}n=e>>>0<
f>>>0}n||(r[(o+(u<<2|0)|0)>>2]=a,u=u+1|0),a=a+1|0;continue r}break r}return u|0}function K(i,l){i=i|
0,l=l|0;var t=0,e=0,o=0,n=0,f=0,a=0;r:for(;;){if(n>>>0<r[(i+20|0)>>2]>>>0){o=r[(r[(i+4|0)>>2]+(n<<2|
0)|0)>>2];i:{if(!v[(o+r[l>>2]|0)>>0]){M[(r[i>>2]+o|0)>>0]=0,k[(r[(i+8|0)>>2]+(o<<3|0)|0)>>3]=0,t=r[(i+
16|0)>>2],x(r[(i+12|0)>>2]+(P(t,o)<<2|0)|0,0,t<<2|0);break i}t=f,f=t+1|0,r[(r[(i+4|0)>>2]+(t<<2|0)|0)>>
2]=o,t=o<<3|0,e=t+r[(i+8|0)>>2]|0,k[e>>3]=k[e>>3]+k[(r[(l+8|0)>>2]+t|0)>>3],t=0;e:for(;;){if(e=r[(i+
16|0)>>2],e>>>0>t>>>0){e=(P(o,e)+t|0)<<2|0,a=e+r[(i+12|0)>>2]|0,r[a>>2]=r[a>>2]|r[(r[(l+12|0)>>2]+e|
0)>>2]|0,t=t+1|0;continue e}break e}}n=n+1|0;continue r}break r}r[(i+20|0)>>2]=f}function Q(i,l,t,e,o){
i=i|0,l=l|0,t=t|0,e=e|0,o=o|0;var n=0,f=0,a=0;r:for(;;){if(l>>>0>a>>>0){f=a<<2|0,n=t+(r[(f+i|0)>>2]<<
e|0)|0,f=o+f|0,e?n=(e|0)==1?L[n>>1]:r[n>>2]:n=v[n>>0],r[f>>2]=n,a=a+1|0;continue r}break r}}function R(i,l,t,e,o,n,f){
i=i|0,l=l|0,t=t|0,e=e|0,o=o|0,n=n|0,f=f|0;var a=0,u=0,c=0,b=0,s=0;U=i,i=-1;r:for(;;){if(t>>>0>s>>>0){
if(a=U,U=a+1|0,a=v[a>>0],a>>>0>=128){a=a&127|0,u=7;i:for(;;){if(c=U,U=c+1|0,c=v[c>>0],a=a|((c&127|0)<<
u|0)|0,u=u+7|0,u>>>0<35&c>>>0>=128|0)continue i;break i}}if(i=i+((a>>>1|0)+1|0)|0,a&1|0){if(a=U,U=a+
1|0,a=v[a>>0],a>>>0>=128){a=a&127|0,u=7;i:for(;;){if(c=U,U=c+1|0,c=v[c>>0],a=a|((c&127|0)<<u|0)|0,u=
u+7|0,u>>>0<35&c>>>0>=128|0)continue i;break i}}a=a+2|0}else a=1;if(U>>>0>l>>>0|i>>>0>=e>>>0|0)return-1;
o&&(v[(i+o|0)>>0]|0)==1||(u=b<<2|0,r[(u+n|0)>>2]=i,r[(f+u|0)>>2]=a,b=b+1|0),s=s+1|0;continue r}break r}
return((U|0)!=(l|0)?-1:b)|0}function W(i,l,t,e,o){i=i|0,l=l|0,t=t|0,e=e|0,o=o|0;var n=0,f=0,a=0,u=0,
c=0,b=0,s=0;r:for(;;){if(e>>>0>c>>>0){s=i+(P(l,c)<<2|0)|0,b=0,f=0;i:for(;;){if(t>>>0>f>>>0){n=f&31|0,
a=32-n|0,u=t-f|0,a=a>>>0<u>>>0?a:u,n=r[(s+((f>>>5|0)<<2|0)|0)>>2]>>>n|0,a>>>0<32&&(n=n&((1<<a|0)-1|0)|
0),u=0;e:for(;;){if(n){n=n&(n-1|0)|0,u=u+1|0;continue e}break e}b=u+b|0,f=f+a|0;continue i}break i}r[(o+
(c<<2|0)|0)>>2]=b,c=c+1|0;continue r}break r}}function X(i,l,t){i=i|0,l=l|0,t=t|0;var e=0,o=0,n=0,f=0,
a=0;r:for(;;){if(f>>>0<r[(l+20|0)>>2]>>>0){o=r[(r[(l+4|0)>>2]+(f<<2|0)|0)>>2],e=o+r[i>>2]|0,(v[e>>0]|
0)!=1&&(M[e>>0]=1,r[(r[(i+4|0)>>2]+(r[(i+20|0)>>2]<<2|0)|0)>>2]=o,r[(i+20|0)>>2]=r[(i+20|0)>>2]+1|0),
e=o<<3|0,n=e+r[(i+8|0)>>2]|0,k[n>>3]=k[n>>3]+k[(r[(l+8|0)>>2]+e|0)>>3],e=0;i:for(;;){if(n=r[(i+16|0)>>
2],n>>>0>e>>>0){n=(P(o,n)+e|0)<<2|0,a=n+r[(i+12|0)>>2]|0,r[a>>2]=r[a>>2]|r[(r[(l+12|0)>>2]+n|0)>>2]|
0,e=e+1|0;continue i}break i}(t|0)>=0&&(o=r[(i+12|0)>>2]+((P(o,r[(i+16|0)>>2])+(t>>>5|0)|0)<<2|0)|0,
r[o>>2]=r[o>>2]|(1<<t|0)|0),f=f+1|0;continue r}break r}}I=v;function Y(){return m.byteLength>>16}function Z(i){
i=i|0;var l=Y()|0,t=l+i|0;if(l<t&&t<65536){var e=new ArrayBuffer(t<<16),o=new Int8Array(e);o.set(M),
M=new Int8Array(e),O=new Int16Array(e),r=new Int32Array(e),v=new Uint8Array(e),L=new Uint16Array(e),
C=new Uint32Array(e),D=new Float32Array(e),k=new Float64Array(e),m=e,I=v}return l}return{decode:R,gatherLengths:Q,
score:d,addSet:X,intersectSet:K,subtractSet:V,multiplyByBits:z,listSessions:G,uniteDocuments:N,countClauses:W,
listNear:J,memory:Object.create(Object.prototype,{grow:{value:Z},buffer:{get:function(){return m}}})}}
return q({})}
